/** pino-shaped: fields first, message second. A pino instance fits as it is. The library logs nowhere else. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => undefined;
/** Swallows everything: the default. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
