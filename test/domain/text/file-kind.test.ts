import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownFileName } from '../../../src/domain/ports/file-ports.ts';
import { fileKindOf, kindName } from '../../../src/domain/text/file-kind.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');

const KINDS: readonly (readonly [what: string, bytes: Uint8Array, name: string])[] = [
  ['nothing at all', latin(''), 'text'],
  ['UTF-8', Buffer.from('größer: 大\n'), 'text'],
  ['UTF-8 with a NUL', latin('a\0b'), 'not text'],
  ['Latin-1', latin('gr\xf6\xdfer'), 'not text'],
  ['a PDF', latin('%PDF-1.7\n\xe2\xe3\xcf\xd3'), 'not text'],
  ['a PNG', latin('\x89PNG\r\n\x1a\n\0\0'), 'image/png'],
  ['a JPEG', latin('\xff\xd8\xff\xe0'), 'image/jpeg'],
  ['a still GIF', latin('GIF89a\x01\0\x01\0'), 'image/gif'],
  ['a GIF that moves', latin('GIF89a\x01\0\x01\0!\xff\x0bNETSCAPE2.0\x03\x01\0\0'), 'not text'],
  ['a WebP', latin('RIFF\x24\0\0\0WEBPVP8 '), 'image/webp'],
  ['a WAV, which begins as WebP does', latin('RIFF\x24\0\0\0WAVEfmt '), 'not text'],
  ['an SVG, which is text', latin('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text'],
  ['an HTML page called PNG', latin('<html>PNG'), 'text'],
];

describe('the kind of a file', () => {
  for (const [what, bytes, name] of KINDS) {
    it(`is ${name} for ${what}`, () => {
      assert.equal(kindName(fileKindOf(bytes)), name);
    });
  }
});

describe('a file name in a sentence', () => {
  const NAMES: readonly (readonly [name: string, shown: string])[] = [
    ['report.pdf', 'report.pdf'],
    ['a\r\nb\u2028c\u0000d.txt', 'a b c d.txt'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['<@U1> <!channel>.txt', '‹@U1› ‹!channel›.txt'],
    ['', 'a file without a name'],
    ['x'.repeat(500), `${'x'.repeat(120)}…`],
  ];
  for (const [name, shown] of NAMES) {
    it(`of ${JSON.stringify(name.slice(0, 30))} is ${JSON.stringify(shown.slice(0, 30))}`, () => {
      assert.equal(shownFileName(name), shown);
    });
  }
});
