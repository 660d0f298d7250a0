import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stores } from '@criticizer/core';
import type { Artifacts } from '@criticizer/core/artifacts';
import type { SqliteTx } from '@criticizer/queue-sqlite';
import PostalMime from 'postal-mime';
import type { Evidence } from './recover-secrets.js';

type Row = Record<string, unknown>;

interface Query {
  query(text: string): Promise<{ rows: Row[] }>;
}

/** Every row of every table, whatever the tables are; of a PostgreSQL's `schema`. */
async function rowsOf(stores: Stores<unknown>, schema: string | undefined): Promise<{ table: string; row: Row }[]> {
  return stores.transaction(async (tx) => {
    const ask = async (sql: string): Promise<Row[]> =>
      schema === undefined ? ((tx as SqliteTx).prepare(sql).all() as Row[]) : (await (tx as Query).query(sql)).rows;
    const tables =
      schema === undefined
        ? await ask("SELECT name FROM sqlite_master WHERE type = 'table'")
        : await ask(`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${schema}'`);
    const found: { table: string; row: Row }[] = [];
    for (const { name } of tables) {
      const table = String(name);
      for (const row of await ask(`SELECT * FROM ${schema === undefined ? '' : `${schema}.`}"${table}"`))
        found.push({ table, row });
    }
    return found;
  });
}

/** A value as an attacker reads it: text as it is, bytes as bytes and in hex. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array)
    return `${Buffer.from(value).toString('latin1')}\n${Buffer.from(value).toString('hex')}`;
  return JSON.stringify(value) ?? '';
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((file) =>
    file.isFile() ? [join(file.parentPath, file.name)] : [],
  );
}

/** Rows, and the bytes of every file in the state folder but the secrets themselves. */
export async function storedEvidence(directory: string, stores: Stores<unknown>, schema?: string | undefined) {
  const rows = await rowsOf(stores, schema);
  const files = filesUnder(directory).filter(
    (file) => !file.startsWith(join(directory, 'secrets')) && !file.endsWith('.eml'),
  );
  const evidence: Evidence[] = [
    ...rows.map(({ table, row }) => ({ where: `a row of ${table}`, text: Object.values(row).map(textOf).join('\n') })),
    ...files.map((file) => ({ where: file.slice(directory.length + 1), text: readFileSync(file, 'latin1') })),
  ];
  const publicValues = new Set(
    rows.flatMap(({ row }) => Object.values(row).filter((value) => typeof value === 'string' && value.length <= 200)),
  );
  return { evidence, publicValues: [...publicValues] as string[], rows };
}

/** Every artifact of the manifest, decrypted. */
export async function openArtifacts(artifacts: Artifacts, rows: readonly { table: string; row: Row }[]) {
  const ids = rows.filter(({ table }) => table === 'artifact_manifest').map(({ row }) => String(row['id']));
  return Promise.all(
    ids.map(async (id) => {
      const { row, body } = await artifacts.read(id);
      return { ...row, text: Buffer.from(body).toString('utf8') };
    }),
  );
}

/** What a reader of each mail sees, headers and both bodies. */
export async function mailEvidence(directory: string): Promise<Evidence[]> {
  const files = readdirSync(join(directory, 'mail')).filter((name) => name.endsWith('.eml'));
  return Promise.all(
    files.map(async (name) => {
      const bytes = readFileSync(join(directory, 'mail', name));
      const { subject, text, html } = await PostalMime.parse(bytes);
      const head = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n'));
      return { where: `mail ${name}`, text: [head, subject, text, html].join('\n') };
    }),
  );
}
