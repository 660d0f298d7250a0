import { CriticizerError } from '../../foundation/errors.js';
import type { AuditSeal, AuditSealStore } from '../../stores/audit-seal-store.js';
import { appendCheckpoint, readCheckpoint } from './checkpoint-file.js';
import { digestSeal } from './verify-chain.js';

/** Holds the seals outside of the database, and notices where the database contradicts them. */
export interface CheckpointKeeper {
  /**
   * Appends the seals that the file lacks. Throws `AUDIT_SEAL_MISMATCH` where the store no longer
   * holds the last one known.
   */
  catchUp(): Promise<void>;
  /** Throws `AUDIT_SEAL_MISMATCH` where this last seal of the store is not the last one known, or one after it. */
  check(head: AuditSeal | null): void;
}

const pageSize = 1_000;

function mismatch(seq: number): CriticizerError {
  return new CriticizerError(
    'AUDIT_SEAL_MISMATCH',
    `The store does not hold seal ${seq} as it was made: the audit trail was cut or rewritten. Nothing is sealed.`,
    { category: 'validation', details: { seq } },
  );
}

/** Without a file it knows what this process saw. `file`: absolute; read to its end once. */
export function createCheckpointKeeper(
  store: Pick<AuditSealStore<never>, 'list'>,
  file: string | null,
): CheckpointKeeper {
  let known: AuditSeal | null = null;
  let isRead = file === null;

  async function readFile(): Promise<void> {
    if (isRead || file === null) return;
    for await (const seal of readCheckpoint(file)) if (known === null || seal.seq >= known.seq) known = seal;
    isRead = true;
  }

  function check(head: AuditSeal | null): void {
    if (known === null) return;
    if (head === null || head.seq < known.seq) throw mismatch(known.seq);
    if (head.seq === known.seq && digestSeal(head) !== digestSeal(known)) throw mismatch(known.seq);
  }

  return {
    check,
    async catchUp() {
      await readFile();
      for (let isMore = true; isMore; ) {
        const after: number = known === null ? 0 : known.seq - 1;
        const page = await store.list({ after, limit: pageSize });
        const [first] = page;
        if (known !== null && (first === undefined || digestSeal(first) !== digestSeal(known)))
          throw mismatch(known.seq);
        const fresh = known === null ? page : page.slice(1);
        if (fresh.length > 0 && file !== null) await appendCheckpoint(file, fresh);
        known = fresh.at(-1) ?? known;
        isMore = page.length === pageSize;
      }
    },
  };
}
