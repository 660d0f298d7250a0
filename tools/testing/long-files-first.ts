import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take most of a minute or more: whichever came last would run alone. */
const longFiles: readonly RegExp[] = [
  /\/tools\/soak\/queue\.fault\.test\.ts$/,
  /\/examples\/demo\/test\/(?:demo|demo-endpoints|crash)\.(?:int|fault)\.test\.ts$/,
  /\/queue-(?:pg|sqlite)\/test\/contract\.int\.test\.ts$/,
  /\/examples\/review-service\/test\/(?:service|commands)\.int\.test\.ts$/,
  /\/core\/test\/outages\.test\.ts$/,
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = longFiles.findIndex((one) => one.test(moduleId));
  return at === -1 ? longFiles.length : at;
};

/** Vitest goes by the names of projects and the size of files; here what takes long begins first. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
