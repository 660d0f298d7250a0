import { Buffer } from 'node:buffer';
import { fileFields, fileLine } from '../file-record.js';
import { isGone, type StoredFile } from '../model-store.js';
import { type ServerEvent, serverMessages } from '../server-events.js';
import type { ServerRequest } from '../server-request.js';

const binaryChunkBytes = 64 * 1024;

/** `print [-q] path[#n|@n|@=n]…`: for each file a record or a heading, its bytes in chunks, and an empty chunk. */
export function* printCommand(request: ServerRequest): Generator<ServerEvent> {
  for (const spec of request.operands) yield* printOne(request, spec);
}

function* printOne({ model, store, user, tagged, options }: ServerRequest, spec: string): Generator<ServerEvent> {
  const [, path = '', at = ''] = /^([^#@]*)((?:[#@].*)?)$/.exec(spec) ?? [];
  const file = store.revision(path, at);
  const access = store.access(user, path);
  if (access === 'none' || (file === null && !(at !== '' && store.knows(path))))
    return yield serverMessages.noSuchFile(spec);
  if (access === 'list') return yield serverMessages.noPermissionOnFile(spec);
  if (file === null)
    return yield at.startsWith('#') ? serverMessages.noFileAtRevision(spec) : serverMessages.noFileAtChange(spec);
  if (isGone(file)) return;
  if (tagged) yield { kind: 'stat', fields: [...fileFields(file), ['fileSize', file.fileSize]] };
  else if (!options.has('q')) yield { kind: 'info', level: 0, text: fileLine(file) };
  if (file.isArchiveMissing) return yield serverMessages.archiveUnreadable(file.path);
  yield* contentChunks(file, model.textChunkBytes ?? 4096);
}

function* contentChunks(file: StoredFile, textChunkBytes: number): Generator<ServerEvent> {
  const kind = isBinary(file) ? 'binary' : 'text';
  const size = kind === 'text' ? textChunkBytes : binaryChunkBytes;
  const content = file.content();
  for (let from = 0; from < content.length; from += size) yield { kind, data: content.subarray(from, from + size) };
  yield { kind, data: Buffer.alloc(0) };
}

/** True for files that are sent as they are. */
export function isBinary(file: StoredFile): boolean {
  return /^(?:binary|apple|resource|x?tempobj|u?x?binary|uresource)\b/.test(file.type);
}
