import { describe, expect, it } from 'vitest';
import { badge, inline, note, styleSheet, tones } from './html-style.js';

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, bright = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (bright + 0.05) / (dark + 0.05);
}

function colours(style: string): { ink: string; paper: string } {
  const ink = /(?:^|;)color:(#[0-9a-f]{6})/.exec(style)?.[1];
  const paper = /background:(#[0-9a-f]{6})/.exec(style)?.[1];
  if (ink === undefined || paper === undefined) throw new Error(`no colours in ${style}`);
  return { ink, paper };
}

const darkRule = (selector: string): string =>
  new RegExp(`\\[data-ogsc\\] ${selector.replace('.', '\\.')}\\{([^}]*)\\}`)
    .exec(styleSheet)?.[1]
    ?.replaceAll('!important', '') ?? '';

describe('colours', () => {
  it.each(tones)('%s is readable on its tint, light and dark', (tone) => {
    for (const style of [badge(tone), note(tone), darkRule(`.${tone}`)]) {
      const { ink, paper } = colours(style);
      expect(contrast(ink, paper)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('text and muted text are readable on card and page, light and dark', () => {
    const light = {
      ink: /color:(#[0-9a-f]{6})/.exec(inline.cell)?.[1] ?? '',
      muted: /color:(#[0-9a-f]{6})/.exec(inline.meta)?.[1] ?? '',
    };
    for (const ink of Object.values(light)) expect(contrast(ink, '#ffffff')).toBeGreaterThanOrEqual(4.5);
    const card = /background:(#[0-9a-f]{6})/.exec(darkRule('.cd'))?.[1] ?? '';
    for (const selector of ['.t', '.m', '.a', '.l']) {
      const ink = /color:(#[0-9a-f]{6})/.exec(darkRule(selector))?.[1] ?? '';
      expect(contrast(ink, card)).toBeGreaterThanOrEqual(4.5);
    }
  });
});
