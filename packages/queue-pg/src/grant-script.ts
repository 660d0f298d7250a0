import { checkOptions, type OptionCheck, optional } from '@criticizer/core/internal';

/** The roles of a schema. One that is missing is made by the script, without a login. */
export interface GrantScriptOptions {
  /** The schema of the stores. Default: `criticizer`. */
  schema?: string | undefined;
  /** Owns schema, tables and functions. Nobody works as it but who migrates. Default: `criticizer_owner`. */
  owner?: string | undefined;
  /** What the stores work as, itself or by membership. Default: `criticizer_app`. */
  app?: string | undefined;
  /** Reads the audit trail, its deliveries and the egress log, and nothing else. Default: `criticizer_auditor`. */
  auditor?: string | undefined;
  /** May prune and erase besides what `app` may. Left out, `app` itself may do both. */
  keeper?: string | undefined;
}

const everything = 'SELECT, INSERT, UPDATE, DELETE';
const appended = 'SELECT, INSERT';

/** What a delivery changes of its row; an operator, of a dead letter. */
const ofDelivery = [
  ...['delivery_state', 'attempt_count', 'next_attempt_at_utc', 'last_error_code', 'last_error_message'],
  ...['first_failed_at_utc', 'last_attempt_at_utc', 'delivered_at_utc', 'sink_receipt', 'lease_owner'],
  ...['lease_expires_at_utc', 'updated_at_utc'],
].join(', ');
const ofLetter = 'operator_status, operator_note, operator_id, updated_at_utc';

/** What the stores need of each table, as GRANT writes it. A table that is not here is given to nobody. */
export const appRights: Readonly<Record<string, string>> = {
  migrations: 'SELECT',
  work_queue: everything,
  dead_letters: everything,
  queue_limits: everything,
  notify_outbox: everything,
  notify_messages: everything,
  recipient_preferences: everything,
  artifact_manifest: everything,
  artifact_manifest_id: everything,
  change_marks: everything,
  egress_log: `${appended}, DELETE, UPDATE (paths)`, // its triggers keep what retention has not released
  egress_log_retention: everything,
  watch_cursors: everything,
  versioned_documents: everything,
  sample_counts: everything,
  suppressions: everything,
  audit_events: appended,
  audit_outbox: `${appended}, UPDATE (${ofDelivery})`,
  audit_dead_letter: `${appended}, UPDATE (${ofLetter})`,
  audit_seals: appended,
  audit_seal_leaves: appended,
};

const readByAuditor: readonly string[] = [
  ...['audit_events', 'audit_outbox', 'audit_dead_letter', 'audit_seals', 'audit_seal_leaves'],
  ...['egress_log', 'migrations'],
];

/** The functions that change what the triggers keep. */
const keepersFunctions = ['erase_audit_events', 'prune_audit_events'] as const;

const checkName: OptionCheck = (option, value) => {
  if (typeof value !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(value) || /^pg_/.test(value))
    throw new TypeError(`${option}: expected ^[a-z_][a-z0-9_]{0,62}$, and none of PostgreSQL's own`);
};

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');

// long: one script, top to bottom
/**
 * SQL that makes the audit trail safe from the application on PostgreSQL: a role without a login owns
 * the tables, the application's role may do exactly what the stores do, and an auditor's role reads.
 * Run it after `migrate()`, as a superuser; it can be run again, and must be after a later migration.
 * It takes from these roles, and from PUBLIC, what they had in the schema before. Throws `TypeError`
 * for a name that is none, or one that two roles have.
 */
export function createGrantScript(options: GrantScriptOptions = {}): string {
  checkOptions<GrantScriptOptions>('createGrantScript', options, {
    schema: optional(checkName),
    owner: optional(checkName),
    app: optional(checkName),
    auditor: optional(checkName),
    keeper: optional(checkName),
  });
  const { schema = 'criticizer', owner = 'criticizer_owner', app = 'criticizer_app' } = options;
  const { auditor = 'criticizer_auditor', keeper = app } = options;
  const workers = [...new Set([app, keeper])];
  const roles = [owner, ...workers, auditor];
  if (new Set(roles).size < roles.length)
    throw new TypeError('createGrantScript: expected owner, app and auditor to be roles of their own');
  const rights = Object.entries(appRights).map(([table, right]) => `('${table}', '${right}')`);
  return `-- Criticizer: who may do what in the schema ${schema}. Run it as a superuser after migrate(), and again after a later one.
-- One transaction; what is not named here is allowed to nobody but the owner.
BEGIN;
DO $grants$
DECLARE
  own text;
  one record;
BEGIN
  FOREACH own IN ARRAY ARRAY[${quoted(roles)}] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = own) THEN EXECUTE format('CREATE ROLE %I NOLOGIN', own); END IF;
  END LOOP;

  -- The owner: nobody can work as it but a superuser and its members.
  EXECUTE format('ALTER ROLE %I NOLOGIN', '${owner}');
  EXECUTE format('ALTER SCHEMA %I OWNER TO %I', '${schema}', '${owner}');
  FOR one IN SELECT relname FROM pg_catalog.pg_class WHERE relnamespace = '"${schema}"'::regnamespace AND relkind IN ('r', 'p') LOOP
    EXECUTE format('ALTER TABLE %I.%I OWNER TO %I', '${schema}', one.relname, '${owner}');
  END LOOP;
  FOR one IN SELECT oid::regprocedure AS signature FROM pg_catalog.pg_proc WHERE pronamespace = '"${schema}"'::regnamespace LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO %I', one.signature, '${owner}');
  END LOOP;

  -- Nothing that was granted before stays.
  REVOKE ALL ON SCHEMA "${schema}" FROM PUBLIC;
  REVOKE ALL ON ALL TABLES IN SCHEMA "${schema}" FROM PUBLIC;
  REVOKE ALL ON ALL FUNCTIONS IN SCHEMA "${schema}" FROM PUBLIC;
  FOREACH own IN ARRAY ARRAY[${quoted([...workers, auditor])}] LOOP
    EXECUTE format('REVOKE ALL ON SCHEMA %I FROM %I', '${schema}', own);
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM %I', '${schema}', own);
    EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA %I FROM %I', '${schema}', own);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', '${schema}', own);
  END LOOP;

  -- The application: what the stores do.
  FOREACH own IN ARRAY ARRAY[${quoted(workers)}] LOOP
    FOR one IN SELECT name, rights FROM (VALUES
      ${rights.join(',\n      ')}) AS given (name, rights)
      WHERE to_regclass(format('%I.%I', '${schema}', name)) IS NOT NULL LOOP
      EXECUTE format('GRANT %s ON %I.%I TO %I', one.rights, '${schema}', one.name, own);
    END LOOP;
    FOR one IN SELECT oid::regprocedure AS signature FROM pg_catalog.pg_proc
      WHERE pronamespace = '"${schema}"'::regnamespace AND proname NOT IN (${quoted(keepersFunctions)}) LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', one.signature, own);
    END LOOP;
  END LOOP;

  -- Who may prune and erase.
  FOR one IN SELECT oid::regprocedure AS signature FROM pg_catalog.pg_proc
    WHERE pronamespace = '"${schema}"'::regnamespace AND proname IN (${quoted(keepersFunctions)}) LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', one.signature, '${keeper}');
  END LOOP;

  -- The auditor: reads.
  FOR one IN SELECT name FROM unnest(ARRAY[${quoted(readByAuditor)}]) AS name
    WHERE to_regclass(format('%I.%I', '${schema}', name)) IS NOT NULL LOOP
    EXECUTE format('GRANT SELECT ON %I.%I TO %I', '${schema}', one.name, '${auditor}');
  END LOOP;
END $grants$;
COMMIT;
`;
}
