/** JSON quotes, escape sequences and brackets. */
const TOKEN = /"|\\.|[{}[\]]/gs;

/**
 * Replaces call arguments that came as objects by strings of their exact JSON. Parsing them would lose
 * long numbers and repeated keys. `key` names their field.
 */
export function argumentsToText(json: string, key: 'arguments' | 'input'): string {
  if (!new RegExp(`"${key}"\\s*:\\s*[{[]`).test(json)) return json;
  let written = 0;
  let quoted = '';
  for (const { from, to } of objectsUnder(json, key)) {
    quoted += json.slice(written, from) + JSON.stringify(json.slice(from, to));
    written = to;
  }
  return quoted + json.slice(written);
}

/** Finds the outermost objects and lists under a key. */
function* objectsUnder(json: string, key: string) {
  const isField = new RegExp(`"${key}"\\s*:\\s*$`);
  let depth = 0;
  let from = 0;
  for (const { opens, at } of bracketsOf(json)) {
    const isInside = depth > 0;
    if (!isInside && !(opens && isField.test(json.slice(Math.max(0, at - 40), at)))) continue;
    if (!isInside) from = at;
    depth += opens ? 1 : -1;
    if (depth === 0) yield { from, to: at + 1 };
  }
}

function* bracketsOf(json: string) {
  let isInText = false;
  for (const { 0: token, index: at } of json.matchAll(TOKEN)) {
    if (token === '"') isInText = !isInText;
    else if (!isInText && token.length === 1) yield { opens: token === '{' || token === '[', at };
  }
}
