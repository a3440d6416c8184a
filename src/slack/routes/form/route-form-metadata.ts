import { isPayload, textAt } from '../../transport/payload.ts';

/** The state of a form that its view carries. */
export interface RouteFormMetadata {
  /** The route's name; undefined for a new one. */
  readonly name?: string;
  /** The revision of the route in the form; 0 for a new route. */
  readonly seen: number;
  /** Where the form was opened. */
  readonly from: 'list' | 'home';
  /** Set on the second step. */
  readonly isMore?: true;
  /** The id of the stored draft, once the person has changed steps. */
  readonly form?: string;
}

const FORM = /^[A-Za-z0-9_-]{16}$/;

export function encodeRouteFormMetadata({
  form,
  from,
  isMore,
  name,
  seen,
}: RouteFormMetadata): string {
  return JSON.stringify({
    from,
    seen,
    ...(name !== undefined && { name }),
    ...(isMore && { isMore }),
    ...(form !== undefined && { form }),
  });
}

/** Parses metadata; undefined for anything that `encodeRouteFormMetadata` did not write. */
export function parseRouteFormMetadata(text: string): RouteFormMetadata | undefined {
  const value = parse(text);
  if (!isPayload(value)) return undefined;
  const { from, seen } = value;
  if ((from !== 'list' && from !== 'home') || !Number.isSafeInteger(seen)) return undefined;
  const name = textAt(value, 'name');
  const form = textAt(value, 'form');
  if (form !== undefined && !FORM.test(form)) return undefined;
  return {
    from,
    seen: Number(seen),
    ...(name !== undefined && { name }),
    ...(value.isMore === true && { isMore: true }),
    ...(form !== undefined && { form }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
