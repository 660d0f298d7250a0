import { type CodeReviewContext, CodeReviewRefusal } from './code-review-records.js';

/** A checked request to create or edit a comment. */
export interface CommentInput {
  body: string;
  taskState: string;
  context: CodeReviewContext;
}

type Problems = Record<string, Record<string, string>>;

export const taskStates: ReadonlySet<unknown> = new Set([
  'comment',
  'open',
  'addressed',
  'verified',
  'verified:archive',
]);

const isPositive = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

function isLine(value: unknown): boolean {
  if (value === null || isPositive(value)) return true;
  if (!Array.isArray(value) || value.length !== 2 || !value.every(isPositive)) return false;
  const [first = 0, last = 0] = value;
  return first <= last;
}

const isContent = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.every((line) => typeof line === 'string'));

function findLineProblems(context: Record<string, unknown>): Record<string, string> {
  const problems: Record<string, string> = {};
  const lineFields = ['leftLine', 'rightLine', 'content'];
  const sent = lineFields.filter((field) => field in context);
  if (sent.length > 0 && sent.length < 3) problems.required = 'leftLine, rightLine and content go together';
  if (sent.length > 0 && typeof context.file !== 'string') problems.file = 'lines need a file';
  for (const side of ['leftLine', 'rightLine'])
    if (side in context && !isLine(context[side])) problems[side] = 'expected a positive integer, a range or null';
  if ('content' in context && !isContent(context.content)) problems.content = 'expected a list of lines or null';
  return problems;
}

function checkContext(value: unknown, topic: string): CodeReviewContext {
  if (value === undefined || value === null) return {};
  const refuse = (problems: Record<string, string>): never => {
    throw new CodeReviewRefusal(400, 'The context is not valid.', { context: problems } satisfies Problems);
  };
  if (typeof value !== 'object' || Array.isArray(value)) return refuse({ type: 'expected an object' });
  const context = value as Record<string, unknown>;
  if (topic.startsWith('jobs/') && Object.keys(context).length > 0) return refuse({ topic: 'jobs have no context' });
  if ('attribute' in context && (context.attribute !== 'description' || Object.keys(context).length > 1))
    return refuse({ attribute: 'expected "description" alone' });
  const problems = findLineProblems(context);
  if ('version' in context && !isPositive(context.version)) problems.version = 'expected a positive integer';
  if ('comment' in context && !isPositive(context.comment)) problems.comment = 'expected the id of a comment';
  if (Object.keys(problems).length > 0) return refuse(problems);
  const known = ['file', 'leftLine', 'rightLine', 'content', 'version', 'comment', 'attribute'];
  return Object.fromEntries(Object.entries(context).filter(([name]) => known.includes(name)));
}

/**
 * Checks what is posted as a comment of a topic, as the server does: neither that the file is one of the
 * review nor that it has the line. Throws `CodeReviewRefusal` with status 400.
 */
export function checkNewComment(input: unknown, topic: string): CommentInput {
  const { body, taskState = 'comment', context } = (input ?? {}) as Record<string, unknown>;
  return { body: checkBody(body), taskState: checkTaskState(taskState), context: checkContext(context, topic) };
}

/** The body without white space at its ends. */
export function checkBody(body: unknown): string {
  const text = typeof body === 'string' ? body.trim() : '';
  if (text === '')
    throw new CodeReviewRefusal(400, 'A body is required.', { body: { isEmpty: 'required' } } satisfies Problems);
  return text;
}

export function checkTaskState(taskState: unknown): string {
  if (typeof taskState === 'string' && taskStates.has(taskState)) return taskState;
  const problems: Problems = { taskState: { notInArray: 'unknown task state' } };
  throw new CodeReviewRefusal(400, 'The task state is not known.', problems);
}
