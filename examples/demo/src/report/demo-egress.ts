// What a run will send to endpoints that are not this demo's own, printed before the first request.
import type { DryRun } from '@criticizer/core';
import type { MailEndpoint } from '../mail/mail-endpoint.js';
import type { ModelEndpoint } from '../model/model-endpoint.js';
import type { ReviewService } from '../review-service.js';
import { requireSecretFile } from '../settings/secret-file.js';

/** The endpoints that the settings name; null where the stand-in is used. */
export interface NamedEndpoints {
  model: ModelEndpoint | null;
  mail: MailEndpoint | null;
}

/** Reads key and password once, before anything begins. Throws `UsageError`. */
export async function checkEndpoints({ model, mail }: NamedEndpoints): Promise<void> {
  if (model?.keyFile !== undefined) await requireSecretFile('LLM_KEY_FILE', model.keyFile);
  if (mail?.login !== undefined) await requireSecretFile('SMTP_PASSWORD_FILE', mail.login.passwordFile);
}

/** One line for each request, and one for each file that stays here. */
export function dryRunLines(run: Extract<DryRun, { kind: 'planned' }>, verb: string): string[] {
  const requests = run.requests.map(({ bytes, host, model, redactions }) => {
    const withheld = Object.entries(redactions).map(([rule, count]) => `${count} ${rule}`);
    return `${verb} ${bytes} bytes to ${host} (${model}); withheld: ${withheld.join(', ') || 'nothing'}`;
  });
  return [...requests, ...run.withheldPaths.map(({ path, reason }) => `  not sent   ${path}: ${reason}`)];
}

const transports: Readonly<Record<MailEndpoint['tls'], string>> = {
  implicit: 'TLS',
  starttls: 'STARTTLS',
  none: 'this machine, no TLS',
};

function mailLine({ host, port, tls, login, from, to }: MailEndpoint): string {
  const user = login === undefined ? '' : ` as ${login.user}`;
  return `Mail: through ${host}:${port}${user} (${transports[tls]}), from ${from} to ${to ?? 'the people of the change'} alone`;
}

/**
 * What will leave for the changes that are not reviewed yet. Reads them from Perforce; opens no
 * connection to the model or the mail server.
 */
export async function egressLines(
  { criticizer }: ReviewService,
  { model, mail }: NamedEndpoints,
  changes: readonly { serverId: string; number: number }[],
  signal: AbortSignal,
): Promise<string[]> {
  const lines: string[] = [];
  if (model !== null) {
    lines.push(`Model: ${model.model} at ${model.baseUrl}; redacted text only, recorded before it is sent`);
    for (const change of changes) {
      const run = await criticizer.dryRun({ ...change, signal });
      if (run.kind === 'skipped')
        lines.push(`  change ${change.number}: nothing, it would not be reviewed: ${run.detail}`);
      else
        lines.push(
          ...dryRunLines(run, `  change ${change.number}: sends`).map((line) => line.replace(/^ {2}not/, '    not')),
        );
    }
  }
  if (mail !== null) lines.push(mailLine(mail));
  return lines.length === 0 ? [] : ['What leaves this machine:', ...lines.map((line) => `  ${line}`)];
}
