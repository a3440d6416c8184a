/** Where a text begins or ends, what is escaped in one, and what may be more than a number of JavaScript holds. */
const TOKEN =
  /"|\\.|(?<![0-9.eE+-])-?(?:[0-9]{16,}(?![0-9.eE])|[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{3,})/gs;
const LARGE = /[0-9]{16}|[0-9][eE]\+?[0-9]{3}/;
const WHOLE = /^-?[0-9]+$/;

/**
 * Fetches as the machine does, but for large numbers of a JSON answer: whole ones that would lose
 * digits here, and those that would be infinite, come as texts. A graph in another language runs with
 * all of them, and people have to see what it runs with.
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

/** A pattern of a whole text would be one of millions of characters, which overflows the stack. */
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
