import { randomBytes } from 'node:crypto';

/** The state of a form that its view carries besides the call's token. */
export interface FormMetadata {
  /** Unguessable id under which the input of other pages is stored. */
  readonly formId: string;
  /** From 1. */
  readonly page: number;
  /** Whether input of this form is stored. */
  readonly isKept: boolean;
}

/** Creates the metadata of a new, empty form. */
export function createFormMetadata(): FormMetadata {
  return { formId: randomBytes(12).toString('base64url'), page: 1, isKept: false };
}

export function encodeFormMetadata({ formId, page, isKept }: FormMetadata): string {
  return `${formId}.${page}.${isKept ? 'kept' : 'new'}`;
}

/** Parses metadata; undefined for anything that `encodeFormMetadata` did not write. */
export function parseFormMetadata(text: string): FormMetadata | undefined {
  const [, formId, page, kept] =
    /^([A-Za-z0-9_-]{16})\.([1-9][0-9]{0,3})\.(kept|new)$/.exec(text) ?? [];
  if (formId === undefined || page === undefined) return undefined;
  return { formId, page: Number(page), isKept: kept === 'kept' };
}
