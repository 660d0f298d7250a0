import { resolveSettings, type SettingsInput } from '@criticizer/core';
import { z } from 'zod';
import type { SettingsEnvironment } from './environment.js';
import { readJsonFile } from './files.js';
import type { ModelConfiguration } from './model-variables.js';
import { completeModelSettings } from './public-models.js';
import { UsageError } from './usage-error.js';

/** Few and short mails on the first days; what the file says stands. */
function withCarefulMails(settings: SettingsInput): SettingsInput {
  return {
    ...settings,
    review: { severityFloor: 'medium', fullFindings: 5, ...settings.review },
    mail: { whenNothingToSay: false, ...settings.mail },
  };
}

/** Throws `UsageError` for settings that are none. */
function checkSettings(settings: SettingsInput): void {
  try {
    resolveSettings(settings);
  } catch (error) {
    throw new UsageError((error as Error).message.split('\n').map((line) => `SETTINGS_FILE: ${line}`));
  }
}

/** The settings of the file, completed by the environment. Throws `UsageError`. */
export function readSettings(env: SettingsEnvironment, models: readonly ModelConfiguration[]): SettingsInput {
  const { SETTINGS_FILE: file } = env;
  const isObject = z.custom<SettingsInput>((value) => typeof value === 'object' && value !== null);
  const settings = withCarefulMails(file === undefined ? {} : readJsonFile('SETTINGS_FILE', file, isObject));
  checkSettings(settings);
  return completeModelSettings(settings, models, env);
}
