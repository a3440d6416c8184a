/** Texts of 250 KB that block functions which read a place more than once. */

const BYTES = 250_000;

/** Repeats a text up to the maximum body size of a program. */
function fill(piece: string): string {
  return piece.repeat(Math.floor(BYTES / Buffer.byteLength(piece)));
}

/** The name of each, and the text. */
export const HOSTILE_TEXTS: readonly (readonly [what: string, text: string])[] = [
  ['one letter', fill('a')],
  ['a host of Chinese letters', `https://${fill('中')}`],
  ['a host of Chinese letters that differ', `https://${differentLetters()}`],
  ['a host of labels of Chinese letters', `https://${fill('中文中文.')}`],
  ['hosts of Chinese letters', fill('https://中文.中文 ')],
  ['a mailed host', `a@${fill('a.')}`],
  ['mailed hosts', fill('a@a.а ')],
  ['hosts for machines', fill('xn--4gbrim.xn--p1ai ')],
  ['one host for machines', fill('xn--a-')],
  ['schemes', fill('a://')],
  ['passwords in URLs', fill('a://b:c@')],
  ['colons and at signs', fill(':@')],
  ['Cyrillic words', fill('сору ')],
  ['one Cyrillic word', fill('с')],
  ['different mixed words', differentWords()],
  ['words of Cherokee', fill('ᎪᏢᏢ ')],
  ['letters for mathematics', fill('𝟷𝚊 ')],
  ['letters apart from their accents', fill('e\u0301')],
  ['one letter with many accents', `e${fill('\u0301')}`],
  ['accents in the wrong order', fill('a\u0301\u0323')],
  ['parts of Hangul syllables', fill('\u1100\u1161\u11a8')],
  ['invisible characters', fill('\u200b')],
  ['invisible characters of two kinds', fill('\u200b\u2060')],
  ['short runs of invisible characters', fill('\u200b\u2060\u200b a')],
  ['emoji', fill('👨‍👩‍👧‍👦')],
  ['flags', fill('🇩🇪')],
  ['key caps', fill('1\ufe0f\u20e3')],
  ['Arabic beside Latin', fill('ا a ')],
  ['line breaks', fill('\n')],
  ['lines', fill('a\n')],
  ['spaces', fill(' ')],
  ['lines of spaces', fill(' \n')],
  ['backslashes', fill('\\')],
  ['escapes of ours', fill('\\u{')],
  ['masks of ours', fill('⟨hidden:')],
  ['quotes', fill('"')],
  ['control characters', fill('\u0001')],
  ['beginnings of private keys', fill('-----BEGIN PRIVATE KEY-----\n')],
  ['a private key without end', `-----BEGIN PRIVATE KEY-----${fill('AAAA')}`],
  ['begun private keys of capitals', fill('-----BEGIN A ')],
  ['Slack tokens', fill('xoxb-123456789 ')],
  ['one Slack token', fill('xoxb-')],
  ['GitHub tokens', fill('ghp_abcdefghijklmnopqrstuv ')],
  ['API keys', fill('sk-A1-')],
  ['parts of JSON Web Tokens', fill('eyJ.')],
  ['bearers', fill('Bearer ')],
  ['a bearer with spaces', `Bearer${fill(' ')}`],
  ['ampersands', fill('&')],
  ['mentions', fill('<!everyone>')],
  ['fences', fill('```\n')],
  ['tables', fill('| a | b |\n')],
  ['table rules', fill('| :-: ')],
  ['quotations', fill('> ')],
  ['lists', fill('- ')],
  ['stars', fill('*')],
  ['brackets', fill('[')],
  ['links', fill('[a](')],
  ['tags', fill('<a ')],
  ['slashes', fill('/')],
  ['digits', fill('9')],
];

/** Distinct words, each in two scripts. */
function differentWords(): string {
  return Array.from({ length: BYTES / 10 }, (_, i) => `${i.toString(36)}сo`).join(' ');
}

function differentLetters(): string {
  const letters = Array.from({ length: BYTES / 3 }, (_, i) =>
    String.fromCodePoint(0x4e00 + (i % 20_000)),
  );
  return letters.join('');
}
