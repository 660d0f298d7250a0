import type { OptionShape } from '../../foundation/check-options.js';
import { optional } from '../../foundation/option-checks.js';
import { checkDate, checkText } from '../../foundation/store-input.js';
import type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterStatus,
  DeadLetterStore,
} from '../../stores/dead-letter-store.js';

/** Which letters a verb for many takes; at least one key, and all of them combine. */
export type LetterSelection = Pick<
  DeadLetterFilter,
  'causeKey' | 'stage' | 'errorClass' | 'kind' | 'changelistId' | 'since' | 'until'
>;

/** Most letters that one call changes. */
export const maxLettersACall = 5_000;
const pageRows = 100;

/** The keys of a selection. */
export const selectionShape: OptionShape<LetterSelection> = {
  causeKey: optional(checkText),
  stage: optional(checkText),
  errorClass: optional(checkText),
  kind: optional(checkText),
  changelistId: optional(checkText),
  since: optional(checkDate),
  until: optional(checkDate),
};

/** The selection of a request. Throws `TypeError` for one that would take every letter. */
export function readSelection(verb: string, request: LetterSelection): LetterSelection {
  const { causeKey, stage, errorClass, kind, changelistId, since, until } = request;
  const selection = { causeKey, stage, errorClass, kind, changelistId, since, until };
  if (Object.values(selection).every((value) => value === undefined))
    throw new TypeError(`${verb}: expected causeKey or another key that selects letters`);
  return selection;
}

/** Selected letters, page by page, newest first within each status: rows that change meanwhile move no place. */
export async function* walkLetters(
  deadLetters: Pick<DeadLetterStore<unknown>, 'list'>,
  selection: LetterSelection,
  statuses: readonly DeadLetterStatus[],
): AsyncGenerator<DeadLetter> {
  for (const status of statuses) {
    for (let before: string | undefined; ; ) {
      const page = await deadLetters.list({ ...selection, status, before, limit: pageRows });
      yield* page;
      if (page.length < pageRows) break;
      before = page.at(-1)?.id;
    }
  }
}

const mostGroups = 1_000;

/** How many letters are selected; `Infinity` where they have more causes than the store counts at a time. */
export async function countLetters(
  deadLetters: Pick<DeadLetterStore<unknown>, 'groups'>,
  selection: LetterSelection,
  statuses: readonly DeadLetterStatus[],
): Promise<number> {
  let count = 0;
  for (const status of statuses) {
    const groups = await deadLetters.groups({ ...selection, status, limit: mostGroups });
    if (groups.length === mostGroups) return Number.POSITIVE_INFINITY;
    for (const group of groups) count += group.count;
  }
  return count;
}
