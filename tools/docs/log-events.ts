// Finds every log line in the sources that ship, with its event, levels, text and fields.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { listFiles } from '../list-files.js';

const levels = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

export interface LogLine {
  /** Where the name is completed at run time it ends in `<what completes it>`; null where there is none. */
  event: string | null;
  level: Level;
  /** Null where the source computes it. */
  message: string | null;
  fields: readonly string[];
  /** `path:line` */
  place: string;
}

function logLevel(call: ts.CallExpression): Level | undefined {
  const callee = call.expression;
  if (!ts.isPropertyAccessExpression(callee) || !/\blogger\??$/i.test(callee.expression.getText())) return undefined;
  return levels.find((level) => level === callee.name.text);
}

/** The literal that `name` is declared with nearest before `position`. */
function declaredLiteral(
  name: string,
  source: ts.SourceFile,
  position: number,
): ts.ObjectLiteralExpression | undefined {
  let found: ts.ObjectLiteralExpression | undefined;
  const visit = (node: ts.Node): void => {
    if (node.getStart() > position) return;
    if (ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer !== undefined)
      if (ts.isObjectLiteralExpression(node.initializer)) found = node.initializer;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function eventName(value: ts.Expression): string | null {
  if (ts.isStringLiteral(value)) return value.text;
  const [span] = ts.isTemplateExpression(value) ? value.templateSpans : [];
  if (!ts.isTemplateExpression(value) || span === undefined) return null;
  return `${value.head.text}<${span.expression.getText().split('.').at(-1)}>`;
}

function readFacts(facts: ts.ObjectLiteralExpression): Pick<LogLine, 'event' | 'fields'> {
  let event: string | null = null;
  const fields: string[] = [];
  for (const member of facts.properties) {
    const name = member.name?.getText();
    if (name === 'event' && ts.isPropertyAssignment(member)) event = eventName(member.initializer);
    else if (name !== undefined) fields.push(name);
    else if (/^\.\.\.errorFacts\(/.test(member.getText())) fields.push('error', 'code');
    else fields.push('…');
  }
  return { event, fields: [...new Set(fields)] };
}

function messageOf(value: ts.Expression | undefined): string | null {
  if (value === undefined) return null;
  if (ts.isStringLiteral(value) || ts.isNoSubstitutionTemplateLiteral(value)) return value.text;
  if (ts.isConditionalExpression(value)) {
    const [yes, no] = [messageOf(value.whenTrue), messageOf(value.whenFalse)];
    return yes === null || no === null ? null : `${yes}; ${no}`;
  }
  return null;
}

function linesIn(file: string, text: string): LogLine[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: LogLine[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    const level = ts.isCallExpression(node) ? logLevel(node) : undefined;
    if (level === undefined || !ts.isCallExpression(node)) return;
    const [facts, message] = node.arguments;
    const literal =
      facts === undefined || ts.isObjectLiteralExpression(facts)
        ? facts
        : declaredLiteral(facts.getText(), source, node.getStart());
    const place = `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    const read = literal === undefined ? { event: null, fields: [] } : readFacts(literal);
    found.push({ ...read, level, message: messageOf(message), place });
  };
  visit(source);
  return found;
}

/** All log lines of the packages and of the service. */
export function findLogLines(root: string): LogLine[] {
  const files = ['packages', 'examples/review-service'].flatMap((folder) => listFiles(root, folder, '.ts'));
  return files
    .filter((file) => /\/src\//.test(file) && !/\.test\.ts$|\/testing\//.test(file))
    .flatMap((file) => linesIn(file, readFileSync(join(root, file), 'utf8')));
}

const intro = `# Log events

<!-- Generated from the sources. Do not edit: npx vitest run tools/docs/log-events.test.ts -u -->

Every line that the packages and the service write to a \`Logger\` has a field \`event\`. Its name is stable: match on it, not on the text, which may be put better in any
release. Fields hold codes, ids and counts, never a change's text; \`…\` stands for further fields that depend on the case. \`<…>\` in a name is completed at run time:
\`security.<type>\` by the types of [security events](telemetry.md#security-events).

| event | level | text | fields |
| --- | --- | --- | --- |
`;

const unique = (values: readonly string[]): string[] => [...new Set(values)];

/** The page \`docs/reference/log-events.md\`. */
export function logEventsPage(lines: readonly LogLine[]): string {
  const byEvent = new Map<string, LogLine[]>();
  for (const line of lines) byEvent.set(line.event ?? '', [...(byEvent.get(line.event ?? '') ?? []), line]);
  const rows = [...byEvent].sort(([a], [b]) => (a < b ? -1 : 1));
  const row = ([event, of]: (typeof rows)[number]): string => {
    const fields = unique(of.flatMap((line) => line.fields)).map((name) => (name === '…' ? name : `\`${name}\``));
    const texts = unique(of.map(({ message }) => message ?? 'by the case'));
    const cells = [
      `\`${event}\``,
      unique(of.map(({ level }) => level)).join(', '),
      texts.join('; '),
      fields.join(', '),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  };
  return intro + rows.map(row).join('');
}
