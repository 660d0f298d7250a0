/** How a server of one vendor answers in one scene. */
export interface SceneAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: object | string;
}

/** The scenes that the contract suite of model providers plays, but `silent`, which is no answer at all. */
export type SceneName =
  | 'complete'
  | 'truncated'
  | 'filtered'
  | 'refused'
  | 'empty'
  | 'context_overflow'
  | 'unknown_stop'
  | 'unknown_stop_cut'
  | 'text_beside_tool_call'
  | 'two_tool_calls'
  | 'rate_limited'
  | 'unavailable'
  | 'unauthorized'
  | 'unreadable';

/** An answer for each scene. */
export type Scenes = Readonly<Record<SceneName, SceneAnswer>>;

/** What the model of a scene writes: JSON texts. */
export interface SceneTexts {
  /** Of a whole reply; also the arguments of its first tool call. */
  reply: string;
  /** Arguments of a second tool call. */
  second: string;
}
