import type { Stores } from '@criticizer/core';
import type pg from 'pg';
import { createPostgresStores } from '../src/index.js';
import type { PgTx } from '../src/shared/pg-database.js';
import { grownTables } from './many-rows.js';

/** A step of a plan as PostgreSQL prints it in JSON. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** What the statements of a verb did to the tables that grow, those inside of functions too. */
export interface Watched {
  nodes: PlanNode[];
  /** Rows that the scans read, whether they gave them on or not. */
  rowsRead: number;
  ms: number;
}

const explained = `LOAD 'auto_explain'; SET LOCAL auto_explain.log_min_duration = 0; SET LOCAL auto_explain.log_analyze = on;
  SET LOCAL auto_explain.log_nested_statements = on; SET LOCAL auto_explain.log_format = json;
  SET LOCAL auto_explain.log_level = notice; SET LOCAL client_min_messages = notice`;

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const isGrown = (node: PlanNode): boolean => grownTables.includes(node['Relation Name'] ?? '');

function countRows(nodes: readonly PlanNode[]): number {
  const scans = nodes.filter((node) => node['Node Type'].includes('Scan'));
  return scans.reduce((sum, node) => {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    return sum + (node['Actual Rows'] + removed) * node['Actual Loops'];
  }, 0);
}

/** Runs a verb in one transaction that is undone, and gives the plans of its statements as the server ran them. */
export async function watchPlans(
  pool: pg.Pool,
  schema: string,
  verb: (stores: Stores<PgTx>, tx: PgTx) => Promise<unknown>,
): Promise<Watched> {
  const client = await pool.connect();
  const nodes: PlanNode[] = [];
  const onNotice = ({ message = '' }: { message?: string | undefined }): void => {
    const at = message.indexOf('{\n');
    if (at >= 0) nodes.push(...nodesOf((JSON.parse(message.slice(at)) as { Plan: PlanNode }).Plan).filter(isGrown));
  };
  // The outer transaction stays open: what a verb sets for its own is set, its BEGIN and COMMIT are not sent.
  const query = (statement: string | { text: string; values?: unknown[] }, values?: unknown[]) => {
    const { text, values: own } = typeof statement === 'string' ? { text: statement, values } : statement;
    const rest = text.replace(/^(BEGIN|COMMIT|ROLLBACK(?! TO))[^;]*;?/, '');
    return client.query(rest === '' ? 'SET LOCAL search_path = pg_catalog' : rest, own ?? []);
  };
  try {
    await client.query(`BEGIN; ${explained}`);
    client.on('notice', onNotice);
    const watched = {
      query,
      connect: async () => Object.assign(Object.create(client) as typeof client, { query, release: () => undefined }),
    };
    const began = performance.now();
    await verb(createPostgresStores({ pool: watched, schema, listen: false }), client);
    const ms = performance.now() - began;
    // The last statement is explained when its portal closes, which a simple query does.
    await client.query('SELECT 1');
    return { nodes, rowsRead: countRows(nodes), ms };
  } finally {
    client.removeListener('notice', onNotice);
    await client.query('ROLLBACK');
    client.release();
  }
}
