import { describe, expect, it } from 'vitest';
import { replyDamages, type SampleReply } from '../../testing/support/damage-replies.js';
import { drawReply } from '../../testing/support/sample-replies.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { coverChange } from '../merge/coverage.js';
import { decideReviewState } from '../merge/review-state.js';
import { parseReview } from './parse-review.js';

// `npm run soak:replies`: each of a thousand reviews damaged in every way; CI's sixty in every sixth.
const isSoak = process.env['MODE'] === 'soak';
const [reviews, every] = isSoak ? [1_000, 1] : [60, 6];
const files = ['//d/a.c', '//d/src/b.ts'].map((path) => {
  const lines = Array.from({ length: 60 }, (_, line) => `+call_${line}();`);
  return { path, skipped: null, hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 60, lines }] };
});
const coverage = coverChange({ files, visibility: 'complete', deniedFiles: 0 }, [
  { outcome: 'read', files: [0, 1].map((file) => ({ file, hunks: [0] })) },
]);
const expected = { promptVersion: '1.0', schemaVersion: '1.0' };

/** What a finding says, without its id, which is ours. */
function describeFinding({ id: _id, ...finding }: SampleReply['findings'][number]): string {
  return JSON.stringify(Object.entries(finding).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What became of one damaged reply. */
function read(text: string, isCut: boolean) {
  const stop = isCut ? 'truncated_output' : 'complete';
  const parsed = parseReview({ text, stop, expected, changedFiles: files });
  const findings = parsed.outcome === 'accepted' ? parsed.result.findings : [];
  const state = decideReviewState([parsed], coverage, findings.length);
  return { outcome: parsed.outcome, findings: findings.map(describeFinding), state };
}

const names = [...replyDamages.keys()];

interface Tally {
  replies: number;
  /** Every finding as it was, and no doubt. */
  whole: number;
  /** Findings shown that the reply did not hold so. */
  half: number;
  /** Accepted although there was no review. */
  shown: number;
  /** Clean although findings were lost. */
  clean: number;
  /** Findings lost, and no doubt says so. */
  silent: number;
  /** The first text of each that went wrong, for the message of a failure. */
  samples: string[];
}

const tallies = new Map<string, Tally>();

/** Damages the reviews in this way, once. */
function tally(name: string): Tally {
  const known = tallies.get(name);
  if (known !== undefined) return known;
  const sum = countAll(name);
  tallies.set(name, sum);
  return sum;
}

function countAll(name: string): Tally {
  const kind = replyDamages.get(name);
  if (kind === undefined) throw new Error(`no damage ${name}`);
  const { next } = createSeededRandom(20_261_126);
  const turn = names.indexOf(name);
  const sum: Tally = { replies: 0, whole: 0, half: 0, shown: 0, clean: 0, silent: 0, samples: [] };
  for (let at = 0; at < reviews; at += 1) {
    const versions = { schema_version: '1.0', prompt_version: '1.0' };
    const reply = drawReply(next, { files: files.map(({ path }) => path), versions });
    if (at % every !== turn % every) continue;
    const text = kind.damage(reply, next);
    const { outcome, findings, state } = read(text, kind.isCut === true);
    const wanted = reply.findings.map(describeFinding);
    const isWhole = wanted.every((one) => findings.includes(one)) && findings.length === wanted.length;
    const half = findings.filter((one) => !wanted.includes(one)).length;
    const isShown = kind.survives === 'none' && outcome === 'accepted';
    const isSilent = findings.length < wanted.length && state.doubts.length === 0;
    const isWrong =
      half > 0 || isShown || isSilent || (kind.survives === 'all' && !(isWhole && state.doubts.length === 0));
    sum.replies += 1;
    sum.whole += isWhole && state.doubts.length === 0 ? 1 : 0;
    sum.half += half;
    sum.shown += isShown ? 1 : 0;
    sum.clean += state.verdict === 'no_findings' ? 1 : 0;
    sum.silent += isSilent ? 1 : 0;
    if (isWrong && sum.samples.length < 2) sum.samples.push(JSON.stringify({ text, findings, state }).slice(0, 2_000));
  }
  return sum;
}

const of = (survives: string): string[] => names.filter((name) => replyDamages.get(name)?.survives === survives);

describe('replies damaged in many ways', () => {
  it.each(of('all'))('OUT-2 OUT-4: the review is whole: %s', (name) => {
    const { whole, half, samples } = tally(name);
    expect({ whole, half, samples }).toEqual({ whole: reviews / every, half: 0, samples: [] });
  });

  it.each(of('some'))('OUT-5 OUT-9: what is shown is whole, and what is lost is a doubt: %s', (name) => {
    const { half, clean, silent, samples } = tally(name);
    expect({ half, clean, silent, samples }).toEqual({ half: 0, clean: 0, silent: 0, samples: [] });
  });

  it.each(of('none'))('OUT-3 OUT-9: no review is shown: %s', (name) => {
    const { half, shown, clean, silent, samples } = tally(name);
    expect({ half, shown, clean, silent, samples }).toEqual({ half: 0, shown: 0, clean: 0, silent: 0, samples: [] });
  });

  it.runIf(isSoak)('OUT-9: prints the figures of the soak', () => {
    const sums = names.map((name) => ({ name, survives: replyDamages.get(name)?.survives, ...tally(name) }));
    const add = (list: typeof sums, key: 'replies' | 'whole' | 'half' | 'shown' | 'clean' | 'silent'): number =>
      list.reduce((sum, one) => sum + one[key], 0);
    const intact = sums.filter(({ survives }) => survives === 'all');
    console.log(
      [
        `${names.length} kinds of damage, ${add(sums, 'replies')} replies`,
        `whole reviews where nothing was lost: ${add(intact, 'whole')} of ${add(intact, 'replies')}`,
        `half findings: ${add(sums, 'half')}`,
        `rejects shown as reviews: ${add(sums, 'shown')}`,
        `clean verdicts with findings lost: ${add(sums, 'clean')}`,
        `findings lost without a doubt: ${add(sums, 'silent')}`,
      ].join('\n'),
    );
    expect(names.length).toBeGreaterThanOrEqual(30);
  });
});
