import type { DocumentStore } from '../../../stores/document-store.js';
import type { SampleStore } from '../../../stores/sample-store.js';
import { addSpent, nothingSpent, type Spent } from './spent.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What all processes spent, in the store, under the name of each shared budget. */
export interface SpendingLedger {
  /**
   * What was spent in the last 24 hours. Counts stand by the hour of the store's clock, so that up to
   * an hour more than a day is counted, and never less than a day.
   */
  read(budget: string): Promise<Spent>;
  /** Adds to each of these budgets. Concurrent calls lose nothing. */
  add(budgets: readonly string[], provider: string, spent: Spent): Promise<void>;
  /**
   * True for one caller a day and budget, over all processes: whoever gets it reports that the budget
   * is spent.
   */
  claimReport(budget: string): Promise<boolean>;
}

/** Where the ledger is kept. */
export interface SpendingStores {
  samples: Pick<SampleStore, 'add' | 'read'>;
  documents: Pick<DocumentStore<never>, 'read' | 'write'>;
  /** The store's clock. */
  storeNow(): Promise<Date>;
}

/** The ledger over the stores. Its verbs throw what the stores throw. */
export function createSpendingLedger({ samples, documents, storeNow }: SpendingStores): SpendingLedger {
  const sampleName = (budget: string): string => `llm.spent.${budget}`;
  return {
    async read(budget) {
      const sum = nothingSpent();
      // A bucket that began almost a day and an hour ago may hold what was spent within the day.
      for (const { counts } of await samples.read(sampleName(budget), { sinceMs: dayMs + hourMs - 1 }))
        addSpent(sum, counts);
      return sum;
    },
    async add(budgets, provider, spent) {
      if (budgets.length === 0) return;
      const rows = budgets.map((budget) => ({ name: sampleName(budget), variant: provider, counts: { ...spent } }));
      await samples.add(rows, { bucketMs: hourMs });
    },
    async claimReport(budget) {
      const { name, version, updatedAt } = await documents.read(`llm.spent-report.${budget}`);
      if (updatedAt !== null && (await storeNow()).getTime() - updatedAt.getTime() < dayMs) return false;
      return (await documents.write(name, version, null)).outcome === 'written';
    },
  };
}
