/** The labels under which arguments are shown. */
import type { JsonValue } from '../../../domain/json/json.ts';
import { toLabelWords } from '../../schema/field-labels.ts';
import {
  asObject,
  createSchemaWalk,
  resolveSchema,
  type Schema,
  typeOf,
  variantsOf,
} from '../../schema/resolve-schema.ts';

/** How one argument is labelled. */
export interface ArgumentLabel {
  readonly label: string;
  /** Whether the schema only accepts texts. */
  readonly isText: boolean;
}

/** Labels by argument key. */
export type ArgumentLabels = ReadonlyMap<string, ArgumentLabel>;

const PLAIN_KEY = /^[A-Za-z0-9_.-]{1,60}$/;
const PLAIN_TITLE = /^[\p{L}\p{N}][\p{L}\p{N} '’()/&.-]{0,39}$/u;
/** A schema could name an argument like one of our own labels. */
const OUR_LABELS =
  /^(?:Tool|Note|Result|Error|Reply|Reason|Difference|Preview|arguments|In the preview)$/;

/**
 * Labels the arguments that a schema declares. Titles of third parties are never used, because they
 * could claim anything about the value.
 */
export function argumentLabelsOf(
  schema: Schema,
  { usesTitles }: { readonly usesTitles: boolean },
): ArgumentLabels {
  const walk = createSchemaWalk(schema);
  const all = new Map<string, JsonValue[]>();
  for (const { properties } of variantsOf(schema, walk)) {
    for (const [key, each] of Object.entries(asObject(properties))) {
      all.set(key, [...(all.get(key) ?? []), each]);
    }
  }
  const named = [...all].map(([key, schemas]) => {
    const read = schemas.map((each) => resolveSchema(each, walk));
    const isText = usesTitles && read.every((each) => typeOf(each) === 'string');
    return { key, label: usesTitles ? labelOf(key, read) : key, isText };
  });
  const labels = named.flatMap(({ key, label }) => [...new Set([key, label])]);
  return new Map(
    named.flatMap(({ key, label, isText }) => {
      const isClear = labels.filter((each) => each === label).length === 1;
      if (isClear && label !== key) return [[key, { label, isText }] as const];
      const isFit = PLAIN_KEY.test(key) && !OUR_LABELS.test(key);
      return isFit ? [[key, { label: key, isText }] as const] : [];
    }),
  );
}

/** Returns the title, unless the variants of the schema disagree; else the key in words. */
function labelOf(key: string, schemas: readonly Schema[]): string {
  const [title = '', ...others] = new Set(
    schemas.map((each) => (typeof each.title === 'string' ? each.title : '')),
  );
  if (others.length === 0 && PLAIN_TITLE.test(title)) return title;
  const words = toLabelWords(key);
  return PLAIN_KEY.test(key) && !OUR_LABELS.test(words) ? words : key;
}
