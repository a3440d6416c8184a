import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maskTokens } from '../../../src/slack/cards/mask-secrets.ts';

const GUESS = { secrets: [], showsLookAlikes: false };

describe('what looks like a secret', () => {
  for (const [what, text] of [
    ['a bearer token', 'Authorization: Bearer \n  abcdef123456ghi'],
    ['an API key', `sk-${'a'.repeat(60)}B${'c'.repeat(60)}7`],
    ['a JSON Web Token', `eyJ${'hbGciOi_J'.repeat(60)}.eyJzdWIiOiIx.c2ln`],
  ] as const) {
    it(`is taken out of a text: ${what}`, () => {
      const { parts, guessed } = maskTokens(`x ${text} y`, GUESS);
      assert.equal(guessed, 1);
      assert.match(parts.join(''), new RegExp(`hidden: ${what}`));
    });
  }

  for (const filler of [' ', '\n', 'sk-', 'eyJ-', 'Bearer ', 'http://a:', '-----BEGIN ']) {
    it(`is looked for in half a megabyte of ${JSON.stringify(filler)} within seconds`, () => {
      const text = filler.repeat(500_000 / filler.length);
      const startedAt = performance.now();
      assert.equal(maskTokens(text, GUESS).guessed, 0);
      const tookMs = performance.now() - startedAt;
      assert.ok(tookMs < 5_000, `${tookMs} ms`);
    });
  }
});
