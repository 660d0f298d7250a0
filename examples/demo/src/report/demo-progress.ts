import type { Job, JobEvent, ReviewStatus } from '@criticizer/core';
import type { JsonObject, OutboxRow } from '@criticizer/core/ports';

const what: Readonly<Record<string, string>> = {
  fetch: 'read the change from Perforce, redact it',
  llm: 'ask the reviewer',
  notify: 'write and send the mails',
};
const signOfLifeMs = 3_000;

function factsText(stage: string, facts: JsonObject): string {
  if (stage === 'fetch')
    return `${facts['files']} files, +${facts['addedLines']} -${facts['removedLines']} lines, ${facts['filesSkipped']} without text, ${facts['secretsWithheld']} secrets withheld`;
  if (stage === 'llm') return `part ${facts['chunk']} of ${facts['chunks']} answered`;
  const rest = Number(facts['mails']) - Number(facts['sent']);
  return `${facts['sent']} of ${facts['mails']} mails delivered${rest > 0 ? `, ${rest} on the way` : ''}`;
}

const seconds = (until: Date): number => Math.max(0, Math.ceil((until.getTime() - Date.now()) / 1_000));

const codeOf = (mail: OutboxRow | undefined): string => (mail?.lastFailure ? ` (${mail.lastFailure.code})` : '');

/** One way or the other. */
export const isOver = ({ status }: Job): boolean => status === 'completed' || status === 'failed';

/** To be sent, or being sent. */
export const isUnderWay = ({ status }: OutboxRow): boolean => status === 'pending' || status === 'sending';

/** What a review that does not move waits for; null while this process works on it. `ours`: a stage runs here. */
export function waitingText({ job, mails }: ReviewStatus, ours: boolean): string | null {
  const open = mails.filter(isUnderWay);
  const late = open.find((mail) => mail.lastFailure !== null) ?? (isOver(job) ? open[0] : undefined);
  if (job.waitingFor !== null)
    return `waits for ${job.waitingFor}${codeOf(late)}, next look in ${seconds(job.runAt)} s`;
  if (job.status === 'queued' && job.lastFailure !== null)
    return `${job.lastFailure.code}, next try in ${seconds(job.runAt)} s`;
  if (job.status !== 'queued' && late !== undefined)
    return `waits for mail${codeOf(late)}, next try in ${seconds(late.nextAttemptAt)} s`;
  if (job.status === 'running' && !ours) return 'waits for the process that holds its lease';
  return null;
}

/** Where the lines go: a terminal, or anything that takes text. */
export interface ProgressOutput {
  isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface Progress {
  onEvent(event: JobEvent): void;
  /** Says what the job waits for, every few seconds at most, and `hint` after it. */
  look(status: ReviewStatus, hint: string): void;
}

/**
 * A line when a stage begins and one when it ends: on a terminal the second replaces the first.
 * With a label in front of each, for the progress of several jobs at once, every line stays.
 */
export function createProgress(out: ProgressOutput, label: () => string = () => ''): Progress {
  const facts = new Map<string, string>();
  const live = out.isTTY === true && label() === '';
  let [ours, saidAt] = [false, Date.now()];
  const say = (text: string, last: boolean): void => {
    saidAt = Date.now();
    out.write(`${live ? '\r\x1b[2K' : ''}  ${label()}${text}${live && !last ? '' : '\n'}`);
  };
  return {
    onEvent(event) {
      const name = event.stage.padEnd(7);
      if (event.type === 'stage.reported') facts.set(event.stage, factsText(event.stage, event.facts));
      if (event.type === 'stage.started') {
        ours = true;
        const again = event.attempt > 1 ? ` (attempt ${event.attempt})` : '';
        say(`…  ${name} ${what[event.stage] ?? ''}${again}`, false);
      }
      if (event.type === 'stage.ended') {
        ours = false;
        const well = event.outcome === 'next' || event.outcome === 'done';
        const mark = well ? '✓' : event.outcome === 'dead-letter' ? '✗' : '↻';
        const text = well
          ? (facts.get(event.stage) ?? event.outcome)
          : `${event.outcome}${event.code === undefined ? '' : ` (${event.code})`}`;
        say(`${mark}  ${name} ${text}  ${(event.ms / 1_000).toFixed(1)} s`, true);
      }
    },
    look(status, hint) {
      if (Date.now() - saidAt < signOfLifeMs) return;
      const text = waitingText(status, ours);
      if (text !== null) say(`…  ${status.job.stage.padEnd(7)} ${text}${hint}`, false);
    },
  };
}
