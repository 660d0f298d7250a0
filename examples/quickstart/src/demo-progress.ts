import type { JobEvent, JsonObject } from '@criticizer/core';

const what: Readonly<Record<string, string>> = {
  fetch: 'read the change from Perforce, redact it',
  llm: 'ask the reviewer',
  notify: 'write and send the mails',
};

function factsText(stage: string, facts: JsonObject): string {
  if (stage === 'fetch')
    return `${facts['files']} files, +${facts['addedLines']} -${facts['removedLines']} lines, ${facts['filesSkipped']} without text, ${facts['secretsWithheld']} secrets withheld`;
  if (stage === 'llm') return `part ${facts['chunk']} of ${facts['chunks']} answered`;
  return `${facts['sent']} of ${facts['mails']} mails delivered`;
}

/** A line when a stage begins and one when it ends: on a terminal the second replaces the first. */
export function createProgress(out: NodeJS.WriteStream): (event: JobEvent) => void {
  const facts = new Map<string, string>();
  const live = out.isTTY === true;
  return (event) => {
    const name = event.stage.padEnd(7);
    if (event.type === 'stage.reported') facts.set(event.stage, factsText(event.stage, event.facts));
    if (event.type === 'stage.started') {
      const again = event.attempt > 1 ? ` (attempt ${event.attempt})` : '';
      out.write(`  …  ${name} ${what[event.stage] ?? ''}${again}${live ? '' : '\n'}`);
    }
    if (event.type === 'stage.ended') {
      const well = event.outcome === 'next' || event.outcome === 'done';
      const mark = well ? '✓' : event.outcome === 'dead-letter' ? '✗' : '↻';
      const text = well
        ? (facts.get(event.stage) ?? event.outcome)
        : `${event.outcome}${event.code === undefined ? '' : ` (${event.code})`}`;
      out.write(`${live ? '\r\x1b[2K' : ''}  ${mark}  ${name} ${text}  ${(event.ms / 1_000).toFixed(1)} s\n`);
    }
  };
}
