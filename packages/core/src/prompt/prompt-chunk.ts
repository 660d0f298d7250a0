/** Lines of a file's new side, 1-based, both ends included. */
export interface LineRange {
  startLine: number;
  endLine: number;
}

/** How much of what was to explain a file's hunks a request shows. */
export interface ContextExtent {
  /** By place in the change. */
  file: number;
  /** Sections that its hunks are in, and the like. */
  wanted: number;
  /** Shown whole. */
  whole: number;
  /** Shown in part. */
  cut: number;
}

/** What a request shows besides hunks. */
export interface ChunkContext {
  /** Of the plan: each half of a split chunk gets context of its own. */
  level: 'sections' | 'wide';
  /**
   * Lines of the change's own files, by place in the change: ascending, apart from one another and
   * from the hunks that the chunk shows of the file.
   */
  lines: readonly { file: number; ranges: readonly LineRange[] }[];
  /** Places in the change's `context`, ascending. */
  found: readonly number[];
  /** By file, ascending. */
  extents: readonly ContextExtent[];
}

/** One request's share of a change. Plain JSON: a checkpoint keeps it. */
export interface PromptChunk {
  /** From 0. */
  index: number;
  /** Chunks in the plan. */
  count: number;
  /** By place in the change, ascending; hunks likewise. */
  files: readonly { file: number; hunks: readonly number[] }[];
  /** Files that the list of the whole change names, by place. Left out: there is no list. */
  listed?: readonly number[] | undefined;
  /** Left out: hunks alone. */
  context?: ChunkContext | undefined;
  /** Upper bound of the user text's tokens. */
  estimatedTokens: number;
}
