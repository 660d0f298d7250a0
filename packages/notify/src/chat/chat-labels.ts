import { defaultLabels, type ReviewMailLabels } from '../rendering/review-mail-input.js';

/** The words of a chat message in English: those of a mail, but where a mail speaks of itself. */
export const defaultChatLabels: ReviewMailLabels = {
  ...defaultLabels,
  countsOnly: 'The findings themselves are not in this message: they may not be sent here.',
  countsOnlyOpen: 'The findings themselves are not in this message. Open the change to read them.',
  footer: 'Written by a language model, not by a person: it can be wrong, and it can miss things.',
  footerWithoutModel:
    'No language model read this change. What is reported was found by fixed rules: it can be wrong, and it can miss things.',
  more: 'and {n} more',
  moreFindings: 'and {n} more findings',
  shortened: 'Some findings are shortened here.',
  secretsReported: 'Findings of this message about them: {n}.',
};

/** The labels of a message: the given ones over the English ones. */
export function chatLabelsOf(labels: Partial<ReviewMailLabels> | undefined): ReviewMailLabels {
  const given = Object.fromEntries(Object.entries(labels ?? {}).filter(([, value]) => value !== undefined));
  return { ...defaultChatLabels, ...given, reasons: { ...defaultChatLabels.reasons, ...labels?.reasons } };
}
