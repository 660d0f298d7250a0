import type { Category } from '../../src/review/review-result.js';

/** One defect of a function: where it is, and how reviewers put it who never saw each other's words. */
export interface CorpusIssue {
  /** Place in the function's lines. */
  at: number;
  categories: readonly [Category, Category];
  /** Title and message. */
  wordings: readonly (readonly [string, string])[];
}

/** A function with its defects; `$1` and `$2` are replaced by names. */
export interface CorpusFunction {
  lines: readonly string[];
  issues: readonly CorpusIssue[];
}

/** Functions of small services, written for this table. */
export const CORPUS: readonly CorpusFunction[] = [
  {
    lines: [
      'export function load$1(id: string): $1 {',
      '  const $2 = cache.get(id);',
      '  const owner = $2.owner.name;',
      '  log.debug(owner);',
      '  return $2;',
      '}',
    ],
    issues: [
      {
        at: 2,
        categories: ['correctness', 'reliability'],
        wordings: [
          [
            'Possible null dereference of $2',
            'cache.get() returns undefined for an unknown id, and $2.owner is read unconditionally.',
          ],
          [
            'Missing check before reading owner',
            'If the cache holds no entry for the id, this throws a TypeError because $2 is undefined.',
          ],
          [
            'Crash on cache miss',
            '$2 may be undefined when the entry was evicted; accessing its owner then fails at run time.',
          ],
          [
            'Unguarded property access',
            'Nothing ensures that $2 exists here. Handle the absent entry before dereferencing owner.',
          ],
        ],
      },
    ],
  },
  {
    lines: [
      'export async function find$1(name: string) {',
      "  const sql = `SELECT * FROM $2 WHERE name = '${name}'`;",
      '  const rows = await db.query(sql);',
      '  if (rows.length > 1) warn(name);',
      '  return rows[0];',
      '}',
    ],
    issues: [
      {
        at: 1,
        categories: ['security', 'correctness'],
        wordings: [
          ['SQL injection through name', 'User input is put into the SQL text. Use a parameterised query for $2.'],
          [
            'Query built by string interpolation',
            'An attacker who controls name can inject SQL; bind it as a parameter instead.',
          ],
          [
            'Unescaped input in SQL statement',
            'The name reaches the statement unescaped, which allows injection into the $2 query.',
          ],
          ['Parameterise this query', 'Interpolating name into the SELECT lets hostile values change the statement.'],
        ],
      },
      {
        at: 4,
        categories: ['correctness', 'maintainability'],
        wordings: [
          [
            'Undefined returned when nothing is found',
            'rows[0] is undefined for an empty result, but callers expect a row of $2.',
          ],
          [
            'Empty result is not handled',
            'When the query gives no rows, this returns undefined and callers crash later.',
          ],
          [
            'No handling of zero rows',
            'With no matching $2 the function silently gives undefined instead of an error.',
          ],
          ['Missing not-found case', 'Return null or throw when rows is empty; the first element may not exist.'],
        ],
      },
    ],
  },
  {
    lines: [
      'void $1::save(const std::string& path) {',
      '  FILE* $2 = fopen(path.c_str(), "w");',
      '  if (!ready_) return;',
      '  fwrite(data_, 1, size_, $2);',
      '  fclose($2);',
      '}',
    ],
    issues: [
      {
        at: 2,
        categories: ['reliability', 'correctness'],
        wordings: [
          ['File handle leak on early return', 'When ready_ is false the function returns without closing $2.'],
          ['$2 is never closed if not ready', 'The early return leaks the descriptor that fopen gave.'],
          ['Resource leak', 'This return path skips fclose, so the open file stays open.'],
          ['Early exit leaves file open', 'Close $2 before returning, or check ready_ before opening it.'],
        ],
      },
      {
        at: 3,
        categories: ['correctness', 'reliability'],
        wordings: [
          [
            'Result of fopen is not checked',
            'fopen may fail and give NULL; fwrite on a null stream is undefined behaviour.',
          ],
          [
            'Write to a possibly null stream',
            '$2 is NULL where the path cannot be opened, and is passed to fwrite regardless.',
          ],
          ['Missing error handling for fopen', 'An unwritable path makes $2 null and this call crashes.'],
          ['No check that the file was opened', 'If opening fails, the stream is null when it is written.'],
        ],
      },
    ],
  },
  {
    lines: [
      'def total_$1(items):',
      '    total = 0',
      '    for i in range(len(items) - 1):',
      '        total += items[i].$2',
      '    return total',
    ],
    issues: [
      {
        at: 2,
        categories: ['correctness', 'style'],
        wordings: [
          [
            'Off-by-one in loop bound',
            'range(len(items) - 1) leaves out the last item, so the total of $2 is too small.',
          ],
          ['Last element is skipped', 'The loop stops one short; the final item is never added.'],
          ['Loop misses the final item', 'The upper bound of the range excludes one element too many.'],
          ['Wrong range end', 'Iterating to len(items) - 1 exclusive drops the last $2 from the sum.'],
        ],
      },
    ],
  },
  {
    lines: [
      'func (s *$1Server) Handle(w http.ResponseWriter, r *http.Request) {',
      '\ts.$2[r.URL.Path]++',
      '\tgo s.flush()',
      '\tbody, _ := io.ReadAll(r.Body)',
      '\tw.Write(body)',
      '}',
    ],
    issues: [
      {
        at: 1,
        categories: ['correctness', 'reliability'],
        wordings: [
          ['Data race on map $2', 'Handlers run concurrently and write to the map without a lock.'],
          ['Unsynchronised map write', 'Concurrent requests increment s.$2 with no mutex, which panics in Go.'],
          ['Map is not safe for concurrent use', 'Guard $2 by a mutex: several goroutines update it at once.'],
          ['Concurrent modification', 'Two requests at the same time corrupt the counter map; protect it with a lock.'],
        ],
      },
      {
        at: 3,
        categories: ['security', 'performance'],
        wordings: [
          [
            'Request body is read without a limit',
            'io.ReadAll takes a body of any size into memory. Use http.MaxBytesReader.',
          ],
          ['Unbounded read of the body', 'A client can exhaust memory by sending a huge body; cap its size.'],
          ['Memory exhaustion by large requests', 'There is no maximum on what is read from r.Body.'],
          ['Limit the size of the body', 'Reading everything lets one request use all memory of the server.'],
        ],
      },
    ],
  },
  {
    lines: [
      'async function publish$1(events: Event[]) {',
      '  for (const event of events) {',
      '    store.save(event);',
      '  }',
      '  await notify($2, events.length);',
      '}',
    ],
    issues: [
      {
        at: 2,
        categories: ['correctness', 'reliability'],
        wordings: [
          [
            'Missing await on store.save',
            'The promise is not awaited, so failures are lost and $2 is notified too early.',
          ],
          ['Promise is dropped', 'save() is asynchronous; without await its rejection is unhandled.'],
          ['Floating promise', 'store.save(event) runs in the background and its errors are never seen.'],
          [
            'Save is not awaited',
            'Notification happens before the events are stored because nobody waits for the promise.',
          ],
        ],
      },
    ],
  },
  {
    lines: [
      'public boolean verify$1(String token) {',
      '    String expected = secrets.get("$2");',
      '    if (token.equals(expected)) {',
      '        audit(token);',
      '        return true;',
      '    }',
      '    return false;',
      '}',
    ],
    issues: [
      {
        at: 2,
        categories: ['security', 'correctness'],
        wordings: [
          [
            'Timing attack on token comparison',
            'String.equals stops at the first difference. Compare in constant time.',
          ],
          [
            'Token is not compared in constant time',
            'Use MessageDigest.isEqual; equals leaks the length of the matching prefix.',
          ],
          ['Non-constant-time comparison', 'An attacker can measure how many characters of the token are right.'],
          ['Comparison leaks timing', 'Response times tell how much of the secret was guessed.'],
        ],
      },
      {
        at: 3,
        categories: ['security', 'maintainability'],
        wordings: [
          [
            'Secret is written to the audit log',
            'audit(token) records the credential itself. Log an identifier instead.',
          ],
          ['Token is logged in clear text', 'The valid token ends up in the audit trail, where others can read it.'],
          ['Sensitive value in log', 'Do not pass the token to audit: logs must not hold credentials.'],
          ['Credential exposure through logging', 'Whoever reads the log gets a working token.'],
        ],
      },
    ],
  },
  {
    lines: [
      'int parse_$1(const char* text, char* out) {',
      '  char $2[64];',
      '  strcpy($2, text);',
      '  trim($2);',
      '  return copy_out(out, $2);',
      '}',
    ],
    issues: [
      {
        at: 2,
        categories: ['security', 'correctness'],
        wordings: [
          ['Buffer overflow by strcpy', 'text may be longer than 64 bytes and then overwrites the stack.'],
          ['Unbounded copy into $2', 'strcpy does not check the size of the destination; use strlcpy or snprintf.'],
          ['Stack buffer can overflow', 'A long input writes past the end of the 64 byte array.'],
          ['Copy without length check', 'Nothing limits how much is copied, so memory behind $2 is corrupted.'],
        ],
      },
    ],
  },
  {
    lines: [
      'export function retry$1(run: () => Promise<void>) {',
      '  let attempts = 0;',
      '  while (true) {',
      '    try { return run(); } catch { attempts += 1; }',
      '    sleepSync($2);',
      '  }',
      '}',
    ],
    issues: [
      {
        at: 2,
        categories: ['reliability', 'performance'],
        wordings: [
          ['Infinite retry loop', 'attempts is counted but never compared with a maximum, so the loop may never end.'],
          ['Loop has no exit', 'If run keeps failing this retries forever.'],
          ['Unlimited retries', 'There is no upper bound on the number of attempts.'],
          ['Missing retry limit', 'A permanent failure makes this spin endlessly; stop after some attempts.'],
        ],
      },
      {
        at: 3,
        categories: ['correctness', 'reliability'],
        wordings: [
          ['Rejections are not caught', 'return run() without await leaves the try block before the promise rejects.'],
          ['catch never sees asynchronous errors', 'The promise is returned, not awaited, so the handler is skipped.'],
          ['Missing await inside try', 'Errors of run() escape because the promise is not awaited here.'],
          ['try/catch has no effect', 'An asynchronous failure passes by this catch clause.'],
        ],
      },
    ],
  },
  {
    lines: [
      'def read_$1(path):',
      '    try:',
      '        $2 = json.load(open(path))',
      '    except Exception:',
      '        pass',
      '    return $2',
    ],
    issues: [
      {
        at: 4,
        categories: ['reliability', 'maintainability'],
        wordings: [
          ['Exception is swallowed', 'A broken file is ignored silently, which hides the cause of later failures.'],
          ['Bare except hides errors', 'All exceptions are discarded; at least log them.'],
          ['Errors are silently ignored', 'pass drops every failure, including a missing file.'],
          ['Do not ignore the exception', 'When parsing fails nobody learns of it.'],
        ],
      },
      {
        at: 5,
        categories: ['correctness', 'reliability'],
        wordings: [
          [
            '$2 may be unbound',
            'If loading failed, the variable was never assigned and this raises UnboundLocalError.',
          ],
          ['Use of an unassigned variable', 'After an exception $2 does not exist when it is returned.'],
          ['Return value undefined after failure', 'The name is only bound when json.load succeeds.'],
          ['Uninitialised on the error path', 'Initialise $2 before the try block; otherwise returning it throws.'],
        ],
      },
    ],
  },
  {
    lines: [
      'export function render$1(user: User): string {',
      '  const name = user.$2;',
      '  return `<h1>${name}</h1>`;',
      '}',
    ],
    issues: [
      {
        at: 2,
        categories: ['security', 'correctness'],
        wordings: [
          ['Cross-site scripting', 'The name is put into HTML without escaping.'],
          ['Unescaped HTML output', 'A user may choose a name with markup, which the browser then runs (XSS).'],
          ['HTML injection through $2', 'Escape the value before it becomes part of the page.'],
          ['XSS: value is not encoded', 'Markup in the user field reaches the response as it is.'],
        ],
      },
    ],
  },
  {
    lines: [
      'void $1::tick(float dt) {',
      '  for (auto it = $2.begin(); it != $2.end(); ++it) {',
      '    if (it->expired()) $2.erase(it);',
      '  }',
      '  elapsed_ += dt * 1000;',
      '}',
    ],
    issues: [
      {
        at: 2,
        categories: ['correctness', 'reliability'],
        wordings: [
          ['Iterator invalidated by erase', 'After erase the iterator is invalid and ++it is undefined behaviour.'],
          ['Erasing while iterating', '$2.erase(it) invalidates it; assign its result instead.'],
          ['Use of an invalid iterator', 'The loop goes on with an iterator to an element that was removed.'],
          ['Undefined behaviour in loop', 'Removing elements here breaks the iteration; use erase_if.'],
        ],
      },
      {
        at: 4,
        categories: ['correctness', 'maintainability'],
        wordings: [
          ['Wrong unit of time', 'elapsed_ is in seconds elsewhere, and dt is multiplied by 1000 here.'],
          ['Seconds and milliseconds are mixed', 'dt * 1000 is milliseconds, but the member holds seconds.'],
          ['Unit mismatch in elapsed_', 'The factor of 1000 converts to another unit than readers expect.'],
          ['Incorrect time conversion', 'This adds milliseconds to a value of seconds.'],
        ],
      },
    ],
  },
];
