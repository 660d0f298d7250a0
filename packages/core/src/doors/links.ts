// Public entry `@criticizer/core/links`: links in mails by which a reader hides a finding or stops the mails.

export {
  createFindingLinks,
  type FindingLink,
  type FindingLinks,
  type FindingLinksOptions,
  type LinkWriter,
  type MailLink,
  type MailLinkWriter,
  type ReadLink,
  type ReadMailLink,
} from '../links/finding-links.js';
export { createLinkHandler, type LinkedReviews, type LinkHandlerOptions } from '../operate/links/link-handler.js';
