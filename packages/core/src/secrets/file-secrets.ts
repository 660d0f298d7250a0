import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { CriticizerError } from '../foundation/errors.js';
import { checkName, observerShape } from '../foundation/option-checks.js';
import { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import { revealSecret, Secret } from './secret.js';
import { readCreatedAt, type SecretSource, type SecretVersion } from './secret-source.js';
import { createVersionTag } from './version-tag.js';
import { judgeWindowsAccess, readWindowsAccess } from './windows-access.js';

export interface FileSecretsOptions {
  /** Where a secret manager projects its values, one file a secret: absolute. */
  directory: string;
  /** Receives one event for each refused file (`secret.rejected`). */
  securityEvents?: SecurityEvents | undefined;
}

const optionShape: OptionShape<FileSecretsOptions> = {
  directory: checkName,
  securityEvents: observerShape.securityEvents,
};

const fileName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const maxBytes = 65_536;
const isWindows = process.platform === 'win32';

type Refusal = 'mode' | 'owner' | 'directory_mode' | 'outside_directory' | 'not_a_file' | 'size' | 'encoding';

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

function notThere(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/**
 * Credentials from mounted files (SEC-1, ruling R16): `NAME` and, where there, `NAME_PREVIOUS`
 * (SEC-5), read anew each time. Symbolic links inside the directory are followed, as secret
 * managers swap versions with them; the file they end at must be a regular file in the directory,
 * owned by this user or root and closed to group and others. One trailing newline is not part of
 * the value. A version was made when its file was written; or, where a file `NAME_CREATED_AT` holds
 * an ISO 8601 date, then: for managers that rewrite their files at each start. Throws `TypeError`
 * at construction for a relative directory; `read` rejects with `SECRET_MISSING` or
 * `SECRET_REJECTED`, both of which park (INT-4). On Windows, where modes say nothing, the access
 * list decides: nobody but this user and administrators may read the file or change the directory
 * (not run on Windows yet).
 */
export function createFileSecrets(options: FileSecretsOptions): SecretSource {
  checkOptions('createFileSecrets', options, optionShape);
  const { directory } = options;
  if (!path.isAbsolute(directory)) throw new TypeError('createFileSecrets: directory expects an absolute path');
  const versionTag = createVersionTag();

  const rejected = (name: string, reason: Refusal, mode?: number): CriticizerError => {
    const details = { name, reason, ...(mode === undefined ? {} : { mode: octal(mode) }) };
    raiseSecurityEvent(options.securityEvents, {
      type: 'secret.rejected',
      reason: 'a secret file was refused',
      details,
    });
    return new CriticizerError('SECRET_REJECTED', `the file of a credential was refused: ${reason}`, {
      category: 'auth',
      parks: true,
      details,
    });
  };

  const readFile = async (name: string): Promise<SecretVersion | undefined> => {
    let file: FileHandle | undefined;
    try {
      const root = await realpath(directory);
      const rootMode = (await stat(root)).mode;
      if (!isWindows && (rootMode & 0o022) !== 0 && (rootMode & 0o1000) === 0)
        throw rejected(name, 'directory_mode', rootMode);
      const target = await realpath(path.join(root, name));
      if (!target.startsWith(root + path.sep)) throw rejected(name, 'outside_directory');
      if (isWindows) await checkWindowsAccess(root, target, (reason) => rejected(name, reason));
      file = await open(target, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
      const text = await readChecked(file, (reason, mode) => rejected(name, reason, mode));
      if (text === '') return undefined;
      return { secret: new Secret(text), version: versionTag(text), createdAt: (await file.stat()).mtime };
    } catch (error) {
      if (notThere(error)) return undefined;
      if (error instanceof CriticizerError) throw error;
      throw new CriticizerError('SECRET_REJECTED', 'the file of a credential cannot be read', {
        category: 'auth',
        parks: true,
        details: { name, reason: String((error as { code?: unknown }).code ?? 'unreadable') },
      });
    } finally {
      await file?.close();
    }
  };

  return {
    contract: 1,
    async read(name, { signal } = {}) {
      signal?.throwIfAborted();
      if (!fileName.test(name))
        throw new TypeError(
          'createFileSecrets: read expects a file name of letters, digits, dots, dashes and underscores',
        );
      const [current, previous, created] = await Promise.all(
        [name, `${name}_PREVIOUS`, `${name}_CREATED_AT`].map(readFile),
      );
      if (current === undefined)
        throw new CriticizerError('SECRET_MISSING', 'the file of a credential is missing or empty', {
          category: 'auth',
          parks: true,
          details: { name },
        });
      if (created === undefined) return { current, previous };
      return { current: { ...current, createdAt: readCreatedAt(revealSecret(created.secret)) }, previous };
    },
  };
}

async function checkWindowsAccess(root: string, file: string, rejected: (reason: Refusal) => Error): Promise<void> {
  const access = await readWindowsAccess(root, file);
  if (judgeWindowsAccess(access.directory, 'directory') !== undefined) throw rejected('directory_mode');
  const wrong = judgeWindowsAccess(access.file, 'file');
  if (wrong !== undefined) throw rejected(wrong);
}

/** The file's text without its last line end. Throws what `rejected` makes of a file that is refused. */
async function readChecked(file: FileHandle, rejected: (reason: Refusal, mode?: number) => Error): Promise<string> {
  // On the open handle: what is checked is what is read.
  const info = await file.stat();
  if (!info.isFile()) throw rejected('not_a_file');
  if (!isWindows && (info.mode & 0o077) !== 0) throw rejected('mode', info.mode);
  if (!isWindows && info.uid !== 0 && info.uid !== process.geteuid?.()) throw rejected('owner');
  if (info.size > maxBytes) throw rejected('size');
  const bytes = Buffer.alloc(maxBytes + 1);
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = (await file.read(bytes, length, bytes.length - length, length)).bytesRead;
    if (length > maxBytes) throw rejected('size');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      .decode(bytes.subarray(0, length))
      .replace(/\r?\n$/, '');
  } catch (error) {
    throw error instanceof TypeError ? rejected('encoding') : error;
  } finally {
    bytes.fill(0);
  }
}
