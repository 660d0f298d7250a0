/** Names of `skipPathPresets`, as the setting `intake.skipPaths` takes them. */
export type SkipPathPreset = keyof typeof skipPathPresets;

/**
 * Perforce patterns by preset: text that tools write, and that nobody reads in a review. Binary
 * files are skipped without them.
 */
export const skipPathPresets = {
  unreal: [
    ...['//.../Intermediate/...', '//.../Saved/...', '//.../Binaries/...', '//.../DerivedDataCache/...'],
    ...['//.../*.uasset', '//.../*.umap', '//.../*.uexp', '//.../*.ubulk', '//.../*.upk'],
    ...['//.../*.generated.h', '//.../*.gen.cpp', '//.../*.t3d', '//.../*.copy'],
    ...['//.../Content/Localization/...', '//.../Source/ThirdParty/...'],
  ],
  unity: [
    ...['//.../*.meta', '//.../*.unity', '//.../*.prefab', '//.../*.asset', '//.../*.mat', '//.../*.anim'],
    ...['//.../*.controller', '//.../*.overrideController', '//.../*.playable', '//.../*.lighting'],
    ...['//.../*.physicMaterial', '//.../*.physicsMaterial2D', '//.../*.spriteatlas', '//.../*.mask'],
    ...['//.../Library/PackageCache/...', '//.../Library/ScriptAssemblies/...', '//.../Library/Bee/...'],
  ],
  node: [
    ...['//.../node_modules/...', '//.../package-lock.json', '//.../npm-shrinkwrap.json', '//.../pnpm-lock.yaml'],
    ...['//.../yarn.lock', '//.../bun.lock', '//.../*.min.js', '//.../*.min.mjs', '//.../*.min.css'],
    ...['//.../*.js.map', '//.../*.css.map', '//.../dist/...', '//.../.next/...', '//.../.nuxt/...'],
  ],
  generated: [
    ...['//.../*.pb.go', '//.../*.pb.cc', '//.../*.pb.h', '//.../*.pb.swift', '//.../*_pb2.py', '//.../*_pb2_grpc.py'],
    ...['//.../*.g.cs', '//.../*.g.i.cs', '//.../*.Designer.cs', '//.../*_generated.h', '//.../*.g.dart'],
    ...['//.../moc_*.cpp', '//.../ui_*.h', '//.../qrc_*.cpp', '//.../generated/...', '//.../__generated__/...'],
    ...['//.../Cargo.lock', '//.../go.sum', '//.../poetry.lock', '//.../uv.lock', '//.../composer.lock'],
    ...['//.../Gemfile.lock', '//.../packages.lock.json', '//.../Podfile.lock'],
  ],
} as const;

/** True for the name of a preset. */
export function isSkipPathPreset(name: string): name is SkipPathPreset {
  return Object.hasOwn(skipPathPresets, name);
}
