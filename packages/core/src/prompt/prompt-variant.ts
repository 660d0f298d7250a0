import { CriticizerError } from '../foundation/errors.js';
import { canReadSchema, readableSchemas } from '../review/read/read-envelope.js';
import type { NotedLanguage } from './language-notes.js';

/** How a reply gives its quotes: by finding id, or as a list for schemas that cannot hold free keys. */
export type QuoteShape = 'map' | 'list';

/** The versions that a prompt names, and that a reply to it must name (PR-1). */
export interface PromptVersions {
  promptVersion: string;
  schemaVersion: string;
}

/** The words of a prompt that shows more of a change than hunks. */
export interface ContextWords {
  /** Stands below the list of the change's files where it does not name all. */
  unlistedFiles(count: number): string;
}

/** The words round a change. Trusted text: nothing of the change enters it. */
export interface PromptTemplate {
  /**
   * Role, output contract and evidence rules (PR-3), with notes for the kinds of file that the request
   * shows, by default none. The same text for the same input.
   */
  system(versions: PromptVersions, quotes: QuoteShape, languages?: readonly NotedLanguage[]): string;
  /** Opens the user text of part `index`, from 0, of `count`. */
  intro(fence: string, index: number, count: number): string;
  /** Stands below a description that was cut. */
  descriptionCut: string;
  /** Stands below a file of which only some hunks are shown. */
  hiddenHunks(shown: number, total: number): string;
  /** Left out: the prompt shows hunks alone, as 1.1 did. */
  context?: ContextWords | undefined;
  /** Closes the user text. */
  outro: string;
}

/** The words of a user text. */
export type PromptWords = Omit<PromptTemplate, 'system'>;

/** The words of a check: of findings, against the change that they are about (GRD-5). */
export interface CheckTemplate extends PromptWords {
  /** Of these instructions and of the reply to them; the reply names it. */
  readonly checkVersion: string;
  /** Role, output contract and evidence rules. The same text every time. */
  readonly system: string;
}

/**
 * One way of asking for a review. A value: a job is frozen on one at its first llm run and keeps
 * it, so that all requests of a review, its stored replies and its record are of one variant.
 */
export interface PromptVariant extends PromptVersions {
  /** Lower-case letters, digits, dots, dashes and underscores, at most 64. */
  readonly id: string;
  readonly template: PromptTemplate;
  /** How its findings are checked (GRD-5). Left out: they are not. */
  readonly check?: CheckTemplate | undefined;
}

/** The name under which a job is frozen on a variant: another version of it, or of its check, is another name. */
export function nameVariant({ id, promptVersion, schemaVersion, check }: PromptVariant): string {
  return `${id}@${promptVersion}/${schemaVersion}${check === undefined ? '' : `+check-${check.checkVersion}`}`;
}

/** Of whom or what a review is: what a rollout tells its sides by. */
export interface VariantSubject {
  /** The change's user. */
  author: string;
  /** Its depot paths, as Perforce has them; empty where there are none. */
  paths: readonly string[];
}

/** The variants that this process has. */
export interface PromptVariants {
  /** The names of all of them (`nameVariant`), the default one first. */
  readonly names: readonly string[];
  /** For a job that has none yet. Rejects where the rollout cannot be read. */
  choose(subject: VariantSubject): Promise<PromptVariant>;
  /** The variant of this name (`nameVariant`); null where this process does not have it. */
  find(name: string): PromptVariant | null;
}

const idShape = /^[a-z0-9._-]{1,64}$/;

function checkVariant({ id, promptVersion, schemaVersion, template }: PromptVariant): void {
  if (typeof id !== 'string' || !idShape.test(id)) throw new TypeError(`prompts: id: expected ${idShape.source}`);
  if (typeof promptVersion !== 'string' || !/^\d+\.\d+(\.\d+)?$/.test(promptVersion))
    throw new TypeError(`prompts: "${id}": promptVersion: expected a version such as 1.2`);
  if (typeof template?.system !== 'function') throw new TypeError(`prompts: "${id}": template: expected one`);
  if (canReadSchema(schemaVersion)) return;
  throw new CriticizerError(
    'PROMPT_SCHEMA_UNREADABLE',
    `The prompt "${id}" asks for replies of a schema that the parser of this process does not read.`,
    { category: 'bug', details: { variant: id, schemaVersion: String(schemaVersion), readable: [...readableSchemas] } },
  );
}

/**
 * The first of `known` is chosen for new jobs; the others are for jobs under way, and for a rollout.
 * Throws `PROMPT_SCHEMA_UNREADABLE` for a variant whose replies this process could not read (PR-4), and
 * `TypeError` for one that is none, and for two of one name.
 */
export function createPromptVariants(known: readonly [PromptVariant, ...PromptVariant[]]): PromptVariants {
  for (const variant of known) checkVariant(variant);
  const byName = new Map(known.map((variant) => [nameVariant(variant), variant]));
  if (byName.size < known.length) throw new TypeError('prompts: two variants have the same name');
  return { names: [...byName.keys()], choose: async () => known[0], find: (name) => byName.get(name) ?? null };
}
