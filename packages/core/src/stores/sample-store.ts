import { checkFields, type OptionShape } from '../foundation/check-options.js';
import { checkArray, checkedElsewhere, checkObject } from '../foundation/option-checks.js';
import { checkMs, checkText, checkWhole } from '../foundation/store-input.js';

/** Counts of one variant under one name, added to the bucket of the present time. */
export interface NewSample {
  /** What is measured: 1 to 128 characters. */
  name: string;
  /** Which prompt version, for instance: 1 to 128 characters. */
  variant: string;
  /** `responses`, `response_rejected`, `findings_valid`, `findings_dropped`, … as whole numbers from 0. */
  counts: Readonly<Record<string, number>>;
}

/** Samples that commit with a settlement. */
export interface SampledCounts {
  /** Milliseconds of a bucket, at least 1. */
  bucketMs: number;
  add: readonly NewSample[];
}

/** The sums of one variant over one bucket of time. */
export interface SampleWindow {
  variant: string;
  /** Start of the bucket by the store's clock, `bucketMs` long. */
  bucket: Date;
  counts: Readonly<Record<string, number>>;
}

/** Counters in buckets of time, which gates judge a variant by (PR-5, PR-6). */
export interface SampleStore {
  readonly storeId: string;
  /** Adds each sample to its bucket; concurrent calls lose nothing. Throws `TypeError` for a wrong sample. */
  add(samples: readonly NewSample[], options: { bucketMs: number }): Promise<void>;
  /** Buckets that began at most `sinceMs` milliseconds ago by the store's clock, oldest first. */
  read(name: string, options: { sinceMs: number }): Promise<readonly SampleWindow[]>;
}

const sampledShape: OptionShape<SampledCounts> = {
  bucketMs: (option, value) => checkMs(option, value as number, 1),
  add: (option, value) => {
    checkArray(option, value);
    for (const [n, sample] of (value as SampledCounts['add']).entries()) checkNewSample(sample, `${option}[${n}]`);
  },
};

/** Bad samples of a settlement, for every store. Throws `TypeError` naming the option. */
export function checkSampledCounts(option: string, value: unknown): void {
  checkFields(option, value ?? null, sampledShape);
}

/** Bad input to `SampleStore.add`, for every store. Throws `TypeError` naming the option. */
export function checkNewSample(sample: NewSample, at: string): void {
  checkFields<NewSample>(at, sample, { name: checkedElsewhere, variant: checkedElsewhere, counts: checkObject });
  checkText(`${at}.name`, sample.name, 128);
  checkText(`${at}.variant`, sample.variant, 128);
  for (const [counter, count] of Object.entries(sample.counts))
    checkWhole(`${at}.counts.${counter}`, count, 0, Number.MAX_SAFE_INTEGER);
}
