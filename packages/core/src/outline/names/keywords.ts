import type { Language } from '../language.js';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const common = words(
  'if else for while do switch case default break continue return goto try catch finally throw new delete this true false ' +
    'null void int char short long float double bool boolean byte string const static public private protected class struct ' +
    'enum interface sizeof typeof in is as and or not',
);
const byLanguage: Partial<Record<Language, ReadonlySet<string>>> = {
  c: words(
    'NULL TRUE FALSE alignof defined offsetof va_start va_end va_arg size_t uint8_t int8_t uint16_t int16_t uint32_t int32_t uint64_t int64_t',
  ),
  cpp: words(
    'NULL TRUE FALSE nullptr std size_t uint8_t int8_t uint16_t int16_t uint32_t int32_t uint64_t int64_t decltype noexcept ' +
      'static_cast dynamic_cast const_cast reinterpret_cast static_assert alignas alignof operator template typename',
  ),
  csharp: words(
    'String Object Boolean Int32 Exception nameof using lock fixed foreach base when await var checked unchecked System',
  ),
  java: words('String Object Boolean Integer Long Double Override Exception super synchronized assert System'),
  python: words(
    'None True False def elif except lambda with yield await async print len range str dict list set tuple super isinstance self cls',
  ),
  javascript: words(
    'function async await yield super import require Promise Array Object String Number Boolean Math JSON Error Date Map Set console undefined',
  ),
  typescript: words(
    'function async await yield super import require Promise Array Object String Number Boolean Math JSON Error Date Map Set ' +
      'console undefined Readonly Record Partial Pick Omit keyof',
  ),
  lua: words('function local end then elseif nil repeat until require pairs ipairs print type tostring tonumber'),
  go: words('func make len cap append copy panic recover string error map chan range defer go select'),
  hlsl: words('float2 float3 float4 float4x4 half2 half3 half4 register'),
  glsl: words('vec2 vec3 vec4 mat2 mat3 mat4 layout'),
  cmake: words(
    'set if endif else elseif foreach endforeach function endfunction macro endmacro message ON OFF TRUE FALSE AND OR NOT',
  ),
};

/** True for a word that the language defines, or that no file of the project does. */
export function isKeyword(name: string, language: Language): boolean {
  return common.has(name) || (byLanguage[language]?.has(name) ?? false);
}
