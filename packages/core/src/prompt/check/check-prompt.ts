import type { RedactedChange } from '../../changes/redacted-change.js';
import type { JsonObject, JsonValue } from '../../foundation/json.js';
import { makeVisible, makeVisibleLine } from '../../foundation/visible-text.js';
import { CHECK_VERDICTS } from '../../review/check/read-verdicts.js';
import type { PlacedFinding } from '../../review/merge/place-findings.js';
import { SEVERITIES } from '../../review/review-result.js';
import { type RenderedPrompt, renderChangeForPrompt } from '../build-prompt.js';
import type { PromptChunk } from '../prompt-chunk.js';
import type { CheckTemplate } from '../prompt-variant.js';

/** Longest text of a finding that is sent back, in UTF-16 units; what is longer is cut with a mark. */
const MAX_TEXT = 2_000;

/** A finding to check. Its texts must be redacted. */
export type CheckedFinding = Pick<
  PlacedFinding,
  'id' | 'severity' | 'category' | 'confidence' | 'file' | 'place' | 'title' | 'message' | 'suggestion'
>;

function describePlace({ line, endLine, status }: CheckedFinding['place']): string {
  if (line === null) return status === 'unverified' ? 'not confirmed by the change' : 'the file as a whole';
  return endLine === null ? `line ${line}` : `lines ${line}-${endLine}`;
}

/** Each line behind a bar, so that none can look like a field. */
function quote(text: string): string {
  const cut = text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)} [cut]`;
  return `| ${makeVisible(cut.replaceAll('\r\n', '\n').trim()).replaceAll('\n', '\n| ')}`;
}

/** One finding as the check sees it. */
export function renderCandidate(finding: CheckedFinding): string {
  const { id, severity, category, confidence, file, place, title, message, suggestion } = finding;
  const lines = [
    `finding: ${id}`,
    `severity: ${severity}; category: ${category}${confidence === undefined ? '' : `; confidence: ${confidence}`}`,
    `file: ${makeVisibleLine(file)}; ${describePlace(place)}`,
    'title:',
    quote(title),
    'message:',
    quote(message),
    ...(suggestion === undefined ? [] : ['suggestion:', quote(suggestion)]),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The user text of a check: the chunk as a review's request shows it, then the findings, all in
 * blocks of one fence. Deterministic. Throws `TypeError` for a chunk of another change.
 */
export function renderCheck(
  change: RedactedChange,
  chunk: PromptChunk,
  findings: readonly CheckedFinding[],
  template: CheckTemplate,
): RenderedPrompt {
  const reported = findings.map(renderCandidate).join('');
  return renderChangeForPrompt(change, chunk, template, [{ kind: 'candidates', reported }]);
}

const text: JsonValue = { type: 'string' };

/** The schema of a reply to a check. The reason precedes the verdict: models write in this order. */
export function checkSchema({ checkVersion }: Pick<CheckTemplate, 'checkVersion'>): JsonObject {
  return {
    type: 'object',
    properties: {
      check_version: { type: 'string', const: checkVersion },
      verdicts: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: text,
            reason: text,
            verdict: { type: 'string', enum: [...CHECK_VERDICTS] },
            severity: { type: 'string', enum: [...SEVERITIES] },
          },
          required: ['id', 'reason', 'verdict'],
          additionalProperties: false,
        },
      },
    },
    required: ['check_version', 'verdicts'],
    additionalProperties: false,
  };
}
