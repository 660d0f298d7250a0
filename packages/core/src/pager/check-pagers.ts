import { checkContract } from '../foundation/contract.js';
import type { Pager } from './pager.js';

const idForm = /^[A-Za-z0-9_-]{1,64}$/;
const hasName = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= 64;

/** Pagers and sources with names that differ, each of its port. Throws `TypeError` naming the option. */
export function checkPagers(
  name: string,
  {
    pagers = [],
    alertSources = [],
  }: { pagers?: readonly Pager[] | undefined; alertSources?: readonly { name: string }[] | undefined },
): void {
  if (!Array.isArray(pagers) || pagers.some((pager) => typeof pager?.trigger !== 'function'))
    throw new TypeError(`${name}: pagers: expected a list of pagers such as createWebhookPager makes`);
  for (const pager of pagers as readonly Pager[]) {
    checkContract(`${name}: pagers "${pager.id}"`, pager);
    if (!idForm.test(pager.id))
      throw new TypeError(`${name}: pagers: expected ids of 1 to 64 letters, digits, _ and -`);
  }
  if (new Set(pagers.map(({ id }: Pager) => id)).size !== pagers.length)
    throw new TypeError(`${name}: pagers: two have the same id`);
  const isSource = (source: { name: string; read?: unknown }): boolean =>
    hasName(source?.name) && typeof source.read === 'function';
  if (!Array.isArray(alertSources) || !alertSources.every(isSource))
    throw new TypeError(`${name}: alertSources: expected sources with a name and the method read`);
  const names = ['dead-letters', 'mails', 'audit-letters', ...alertSources.map((source) => source.name)];
  if (new Set(names).size !== names.length) throw new TypeError(`${name}: alertSources: two have the same name`);
}
