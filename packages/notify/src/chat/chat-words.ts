import type { ReviewMailLabels } from '../rendering/review-mail-input.js';
import { visibleLine, visibleText } from '../rendering/visible-text.js';
import type { CountedFrame } from './chat-frame.js';
import { chatLabelsOf } from './chat-labels.js';
import { fit } from './fit.js';

/** The fixed words of a message, and how texts of others are cut for it. */
export interface ChatWords {
  labels: ReviewMailLabels;
  /** On one line, every character visible, within `max` as the chat counts. */
  oneLine(text: string, max: number): string;
  /** The same with its line breaks. */
  readable(text: string | undefined, max: number): string;
}

/** The words of a frame. */
export function chatWordsOf({ labels, costOf }: CountedFrame): ChatWords {
  return {
    labels: chatLabelsOf(labels),
    oneLine: (text, max) => fit(visibleLine(text, max), max, costOf),
    readable: (text, max) =>
      fit(
        visibleText(fit(text ?? '', max))
          .replace(/^\s*\n/, '')
          .trimEnd(),
        max,
        costOf,
      ),
  };
}
