import { llmProtocols } from '@criticizer/core/llm';

/** The value of `LLM_PROTOCOL` for no model: files and withheld secrets are counted, and nothing is sent. */
export const noModel = 'none';

/** Every value of `LLM_PROTOCOL`. */
export const protocols: readonly string[] = [...llmProtocols, noModel];
