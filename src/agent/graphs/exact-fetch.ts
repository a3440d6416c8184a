/** JSON quotes, escape sequences, and numbers that JavaScript may not represent exactly. */
const TOKEN =
  /"|\\.|(?<![0-9.eE+-])-?(?:[0-9]{16,}(?![0-9.eE])|[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{3,})/gs;
const LARGE = /[0-9]{16}|[0-9][eE]\+?[0-9]{3}/;
const WHOLE = /^-?[0-9]+$/;

/**
 * Fetches, but returns large numbers of a JSON response as strings: integers that would lose digits and
 * numbers that would be infinite. A graph in another language runs with the exact numbers, so people
 * must see them.
 */
export async function fetchWithExactNumbers(
  ...request: Parameters<typeof fetch>
): Promise<Response> {
  const response = await fetch(...request);
  const { headers, status, statusText, ok } = response;
  if (!ok || !headers.get('content-type')?.includes('json')) return response;
  const text = await response.text();
  const exact = LARGE.test(text) ? keepDigits(text) : text;
  return new Response(exact, { headers, status, statusText });
}

/** Matches token by token: one pattern for a whole string can overflow the stack. */
function keepDigits(json: string): string {
  let isInText = false;
  return json.replaceAll(TOKEN, (token) => {
    if (token === '"') isInText = !isInText;
    return !isInText && token !== '"' && losesDigits(token) ? `"${token}"` : token;
  });
}

function losesDigits(token: string): boolean {
  const number = Number(token);
  if (!Number.isFinite(number)) return true;
  return WHOLE.test(token) && BigInt(token) !== BigInt(number);
}
