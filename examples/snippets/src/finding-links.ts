// Links in mails by which a reader hides a finding: compiled, and shown by docs/how-to/hide-a-finding.md.
import type { CriticizerOptions, SecretSource } from '@criticizer/core';
import { createCriticizer } from '@criticizer/core';
import { createFindingLinks, createLinkHandler } from '@criticizer/core/links';

// #region links
/** A Criticizer whose mails have links, and what answers them: a `Request` in, a `Response` out. */
export function composeWithLinks<Tx>(options: CriticizerOptions<Tx>, secrets: SecretSource) {
  const links = createFindingLinks({
    url: 'https://reviews.studio.example/links',
    secret: { source: secrets, name: 'LINKS_SECRET' },
  });
  const criticizer = createCriticizer({ ...options, findingLinks: links });
  return { criticizer, answerLink: createLinkHandler({ criticizer, links, logger: options.logger }) };
}
// #endregion
