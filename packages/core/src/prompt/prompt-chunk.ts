/** One request's share of a change. Plain JSON: a checkpoint keeps it. */
export interface PromptChunk {
  /** From 0. */
  index: number;
  /** Chunks in the plan. */
  count: number;
  /** By place in the change, ascending; hunks likewise. */
  files: readonly { file: number; hunks: readonly number[] }[];
  /** Upper bound of the user text's tokens. */
  estimatedTokens: number;
}
