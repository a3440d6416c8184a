/** Attacks with invisible text, or text that looks like other text. */
import { type Attack, NOT_ALL } from './attacks.ts';

export const ATTACKS_OF_LOOKS: readonly Attack[] = [
  {
    source: 'D8, field',
    title: 'six hundred characters that can’t be seen before the end of a command',
    args: { command: `ls ${'\u200b'.repeat(600)}; rm -rf /`, text: '\\u{200b x600}' },
    approvable: true,
    data: ['ls \\u{200b x600}; rm -rf /', '\\u{5c}u{200b x600}'],
    says: ['600 invisible characters are written as '],
  },
  {
    source: 'D8, field',
    title: 'hundreds of characters of many kinds that can’t be seen before the end of a command',
    args: {
      command: `ls ${'\u200b\u200d\u2060'.repeat(200)}; rm -rf /`,
      text: `ls ${'\u{e0041}\n\u{e0042} '.repeat(150)}; rm -rf /`,
      content: 'a\u200b\u2060b',
    },
    approvable: false,
    data: [
      'ls \\u{600 invisible characters}; rm -rf /',
      'ls \\u{599 invisible characters} ; rm -rf /',
      'a\\u{200b}\\u{2060}b',
    ],
    says: ['902 invisible characters are written as ', NOT_ALL],
  },
  {
    source: 'D8',
    title: 'the mark for many characters that can’t be seen, written out',
    args: { command: 'ls \\u{600 invisible characters}; rm -rf /' },
    approvable: true,
    data: ['ls \\u{5c}u{600 invisible characters}; rm -rf /'],
  },
  {
    source: 'D8',
    title: 'a command behind empty lines',
    args: { command: `ls${'\n'.repeat(600)}rm -rf /` },
    approvable: true,
    data: ['ls\\u{a x600}rm -rf /'],
  },
  {
    source: 'D9',
    title: 'digits, signs and letters that only look plain',
    args: { n: '𝟷𝟶𝟶', path: 'a\u2215b', text: 'a\u037eb', url: 'ɡo.example' },
    approvable: true,
    data: ['𝟷𝟶𝟶', 'a\\u{37e}b', 'ɡo', '\u2215', '/'],
    says: [
      ' has characters that only look like plain ones (U+1D7F7, U+1D7F6)',
      ' (U+2215) looks like ',
      ' has characters that only look like plain ones (U+0261)',
    ],
  },
  {
    source: 'D9',
    title: 'whole words of other scripts that look Latin',
    args: { command: 'ꓚꓳꓑꓬ ᎪᏢᏢ', text: 'сору файл' },
    approvable: true,
    data: ['ꓚꓳꓑꓬ', 'ᎪᏢᏢ', 'сору'],
    says: [
      ' is written in Lisu letters, each of which looks Latin (U+A4DA, U+A4F3, U+A4D1, U+A4EC)',
      ' is written in Cherokee letters, each of which looks Latin (U+13AA, U+13E2)',
      ' is written in Cyrillic letters, each of which looks Latin (U+0441, U+043E, U+0440, U+0443)',
    ],
  },
  {
    source: 'D9',
    title: 'honest Russian, Greek, Japanese and Turkish need no warning',
    args: {
      text: 'Не трогать файл с отчётом, пока его не проверит начальник.',
      content: '明日の会議の資料を共有します（参考：APIログ）。',
      command: 'Yarın için müdür şubeyi çağırdı',
      path: 'Το αρχείο είναι έτοιμο',
    },
    approvable: true,
    data: ['Το', 'Не', 'с', 'его', 'Yarın'],
    says: ['Words that look identical in another alphabet:', ' and 1 more.'],
  },
];
