/** Where one element of the watched array stands in the text; `end` is exclusive. */
export interface TextRange {
  start: number;
  end: number;
}

/** A key that came again in one object: an earlier value of it is lost. */
export interface RepeatedKey {
  /** The finding in whose object it is; null outside the watched array. */
  index: number | null;
  /** Below the top level of the document or the finding, behind that level's own key: `meta.score`. */
  key: string;
}

export interface JsonLayout {
  /** The elements of every array under the top-level watched key, in order. */
  elements: readonly TextRange[];
  /** How many arrays stand under the watched key. */
  lists: number;
  /** Each key once for each object. */
  repeats: readonly RepeatedKey[];
}

interface Frame {
  isObject: boolean;
  /** Under the watched key of the outermost object. */
  isWatched: boolean;
  keys: Set<string>;
  repeated: Set<string>;
  key: string;
}

interface Walk {
  text: string;
  at: number;
  frames: Frame[];
  elements: TextRange[];
  lists: number;
  repeats: RepeatedKey[];
  insideElement: boolean;
}

function skipString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

function decodeKey(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

function noteKey(walk: Walk, frame: Frame, key: string): void {
  frame.key = key;
  if (frame.keys.has(key) && !frame.repeated.has(key)) {
    frame.repeated.add(key);
    // Frames: the document, its watched array, the finding, whatever that holds.
    const level = walk.insideElement ? 2 : 0;
    const owner = walk.frames[level];
    const isOwn = owner === frame;
    walk.repeats.push({
      index: walk.insideElement ? walk.elements.length : null,
      key: isOwn ? key : `${owner?.key ?? ''}.${key}`,
    });
  }
  frame.keys.add(key);
}

function open(walk: Walk, isObject: boolean, watchKey: string): void {
  const parent = walk.frames.at(-1);
  const isWatched = walk.frames.length === 1 && parent?.isObject === true && parent.key === watchKey && !isObject;
  if (isWatched) walk.lists += 1;
  walk.frames.push({ isObject, isWatched, keys: new Set(), repeated: new Set(), key: '' });
}

/** After a value: where its parent is the watched array, it was an element. */
function endValue(walk: Walk, start: number): void {
  if (walk.frames.at(-1)?.isWatched !== true) return;
  walk.elements.push({ start, end: walk.at });
  walk.insideElement = false;
}

/**
 * Finds elements and repeated keys of the object at `start` of strictly valid JSON, which
 * `JSON.parse` gives up silently. One pass, no recursion, linear in the text.
 */
export function scanLayout(text: string, start: number, end: number, watchKey: string): JsonLayout {
  const walk: Walk = { text, at: start, frames: [], elements: [], lists: 0, repeats: [], insideElement: false };
  const starts: number[] = [];
  let expectsKey = false;
  while (walk.at < end) {
    const char = text.charAt(walk.at);
    const frame = walk.frames.at(-1);
    if (char === '{' || char === '[') {
      if (frame?.isWatched === true) walk.insideElement = true;
      starts.push(walk.at);
      open(walk, char === '{', watchKey);
      expectsKey = char === '{';
      walk.at += 1;
    } else if (char === '}' || char === ']') {
      walk.frames.pop();
      walk.at += 1;
      endValue(walk, starts.pop() ?? start);
    } else if (char === '"') {
      const from = walk.at;
      walk.at = skipString(text, from);
      if (expectsKey && frame !== undefined) noteKey(walk, frame, decodeKey(text.slice(from, walk.at)));
      else endValue(walk, from);
      expectsKey = false;
    } else if (char === ',') {
      expectsKey = frame?.isObject === true;
      walk.at += 1;
    } else if (' \n\r\t:'.includes(char)) walk.at += 1;
    else {
      const from = walk.at;
      while (walk.at < end && !',]} \n\r\t'.includes(text.charAt(walk.at))) walk.at += 1;
      endValue(walk, from);
    }
  }
  return { elements: walk.elements, lists: walk.lists, repeats: walk.repeats };
}
