/** Schemas of every kind that a form supports, each with a value that fits. */
import fc from 'fast-check';
import type { JsonValue } from '../../../src/domain/json/json.ts';

export interface Sample {
  readonly schema: JsonValue;
  readonly value: JsonValue;
}

type Samples = fc.Arbitrary<Sample>;

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', '  ', ' x ', 'a\nb', 'a\r\n', '\u200b', '["x"]', 'null', '42', 'true'),
  fc.constantFrom(
    'y'.repeat(3_001),
    'z'.repeat(3_000),
    'word '.repeat(40),
    'ghp_0123456789abcdefghijABCDEFGHIJ',
  ),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -1, 1e-7, 1e21, 0.1, -2.5, Number.MAX_SAFE_INTEGER),
);
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'orderId', 'customer_email', 'to', 'x.y') },
  fc.string({ maxLength: 5 }).filter((each) => each !== '__proto__'),
);

const with_ = (schema: JsonValue, values: fc.Arbitrary<JsonValue>): Samples =>
  values.map((value) => ({ schema, value }));
const moments = fc.constantFrom(
  '2026-01-02T10:00:00Z',
  '2026-01-02T10:00:37.123Z',
  '2026-06-30T23:59+02:00',
  '1969-07-20T20:17:40Z',
  '2026-02-30T10:00:00Z',
  '2026-01-02T10:00:00',
  'soon',
);
const alike = 'The same seventy-five characters and more stand at the beginning of each of these';
const members = fc.constantFrom<readonly JsonValue[]>(
  ['low', 'high'],
  [1, 2, null],
  [`${alike} 1`, `${alike} 2`, '', ' ', 'w'.repeat(170)],
  [{ a: 1 }, [1], 'x'],
  Array.from({ length: 12 }, (_, i) => `m${i}`),
  Array.from({ length: 250 }, (_, i) => `member ${i}`),
);
const enumerated: Samples = members.chain((values) =>
  with_({ enum: values }, fc.constantFrom(...values)),
);

const leaf: Samples = fc.oneof(
  with_({ type: 'string' }, text),
  with_(
    {
      type: 'string',
      maxLength: 5_000,
      title: 'A title',
      description: 'What it is.\nIn two lines.',
    },
    text,
  ),
  with_({ type: 'string', format: 'email' }, fc.oneof(fc.constant('ann@a.example'), text)),
  with_(
    { type: 'string', format: 'uri' },
    fc.oneof(fc.constantFrom('https://a.example/x?y=1', 'ftp://b'), text),
  ),
  with_(
    { type: 'string', format: 'date' },
    fc.constantFrom('2026-02-28', '2026-02-30', '26-2-1', ''),
  ),
  with_({ type: 'string', format: 'time' }, fc.constantFrom('10:30', '10:30:15', '25:00', '')),
  with_({ type: 'string', format: 'date-time' }, moments),
  with_({ type: 'number' }, number),
  with_({ type: 'number', minimum: 0, maximum: 100 }, number),
  with_(
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    fc.integer(),
  ),
  with_({ type: 'boolean' }, fc.boolean()),
  with_({ type: ['boolean', 'null'] }, fc.constantFrom(true, false, null)),
  with_({ const: 'fixed' }, fc.constant('fixed')),
  with_({ anyOf: [{ type: 'string' }, { type: 'null' }] }, fc.oneof(text, fc.constant(null))),
  with_({ type: 'number', nullable: true }, fc.oneof(number, fc.constant(null))),
  with_({ anyOf: [{ type: 'string' }, { type: 'number' }] }, fc.oneof(text, number)),
  with_({ type: 'array', items: { type: 'string' } }, fc.array(text, { maxLength: 4 })),
  with_({ type: 'array', items: { type: 'number' } }, fc.array(number, { maxLength: 4 })),
  with_({ $ref: '#/$defs/nowhere' }, json),
  with_({ $ref: '#/$defs/tree' }, tree()),
  with_({}, json),
  with_({ not: {} }, json),
  with_({ type: 'array' }, fc.array(json, { maxLength: 3 })),
  with_({ type: 'object' }, fc.dictionary(key, json, { maxKeys: 3 })),
  enumerated,
  members.chain((values) =>
    with_(
      { type: 'array', items: { enum: values } },
      fc.array(fc.constantFrom(...values), { maxLength: 5 }),
    ),
  ),
  // A value that violates its schema: the form never changes it.
  fc.record({
    schema: fc.constantFrom<JsonValue>(
      { type: 'string' },
      { type: 'integer' },
      { enum: ['a'] },
      { type: 'array', items: { type: 'string' } },
    ),
    value: json,
  }),
);

function tree(): fc.Arbitrary<JsonValue> {
  const { node } = fc.letrec<{ node: JsonValue }>((tie) => ({
    node: fc.record(
      {
        name: fc.constantFrom('root', 'leaf', ''),
        children: fc.array(tie('node'), { maxLength: 2 }),
      },
      { requiredKeys: ['name'] },
    ) as fc.Arbitrary<JsonValue>,
  }));
  return node;
}

function objectOf(inner: Samples): Samples {
  const property = fc.record({ key, sample: inner, required: fc.boolean(), absent: fc.boolean() });
  return fc
    .uniqueArray(property, { selector: (each) => each.key, maxLength: 4 })
    .map((properties) => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(properties.map((each) => [each.key, each.sample.schema])),
        required: properties.filter((each) => each.required).map((each) => each.key),
        additionalProperties: false,
      },
      value: Object.fromEntries(
        properties
          .filter((each) => each.required || !each.absent)
          .map((each) => [each.key, each.sample.value]),
      ),
    }));
}

/** Values under one schema: that of the first sample, so other values may not fit. */
function listOf(inner: Samples): Samples {
  return fc.tuple(inner, fc.array(inner, { maxLength: 2 })).map(([first, more]) => ({
    schema: { type: 'array', items: first.schema },
    value: [first.value, ...more.map((each) => each.value)],
  }));
}

function recordOf(inner: Samples): Samples {
  return fc
    .tuple(inner, fc.uniqueArray(key, { maxLength: 3 }))
    .map(([{ schema, value }, keys]) => ({
      schema: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: schema },
      value: Object.fromEntries(keys.map((each) => [each, value])),
    }));
}

function tupleOf(inner: Samples): Samples {
  return fc
    .tuple(fc.array(inner, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([samples, draft7]) => ({
      schema: {
        type: 'array',
        [draft7 ? 'items' : 'prefixItems']: samples.map((each) => each.schema),
      },
      value: samples.map((each) => each.value),
    }));
}

function unionOf(inner: Samples): Samples {
  const kinds = fc.array(objectOf(inner), { minLength: 2, maxLength: 3 });
  return fc.tuple(kinds, fc.nat(), fc.constantFrom('anyOf', 'oneOf')).map(([samples, at, word]) => {
    const branches = samples.map(({ schema }, i) => {
      const { properties, required, ...rest } = schema as { [key: string]: JsonValue };
      return {
        ...rest,
        properties: { kind: { const: `kind ${i}` }, ...(properties as object) },
        required: ['kind', ...(required as string[])],
      };
    });
    const chosen = at % samples.length;
    const value = { ...(samples[chosen]?.value as object), kind: `kind ${chosen}` };
    return { schema: { [word]: branches as unknown as JsonValue }, value };
  });
}

const DEFS: JsonValue = {
  tree: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      children: { type: 'array', items: { $ref: '#/$defs/tree' } },
    },
    required: ['name'],
  },
};

/** Arguments of a tool: an object, or one of several kinds, with any content, three levels deep. */
export const anyArgs: fc.Arbitrary<{ readonly schema: JsonValue; readonly args: JsonValue }> =
  (() => {
    let inner: Samples = leaf;
    for (let level = 0; level < 2; level += 1) {
      inner = fc.oneof(
        { weight: 6, arbitrary: leaf },
        objectOf(inner),
        listOf(inner),
        recordOf(inner),
        tupleOf(inner),
        unionOf(inner),
      );
    }
    const rooted = fc.oneof(
      { weight: 5, arbitrary: objectOf(inner) },
      { weight: 1, arbitrary: unionOf(inner) },
    );
    return rooted.map(({ schema, value }) => ({
      schema: { ...(schema as object), $defs: DEFS },
      args: value,
    }));
  })();
