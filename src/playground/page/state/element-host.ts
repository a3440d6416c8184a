import type { ConfirmationDialog } from '@slack/types';
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';

/** A press on an element, addressed as Slack addresses it. */
export interface Press {
  readonly actionId: string;
  readonly blockId?: string;
  readonly option?: string;
  readonly value?: string;
}

/** What a field of a form holds; null when a person emptied it. */
export type FieldValue = string | readonly string[] | null;

/** A choice that an element offers. */
export interface Choice {
  readonly text: string;
  /** Whether the text is mrkdwn; else it is shown as it is. */
  readonly isMarkup?: boolean;
  readonly value: string;
  readonly description?: string;
}

/** What the surface around blocks (message, modal, App Home) does with their elements. */
export interface ElementHost {
  /** Delivers a press; resolves when the app has answered. */
  press(press: Press): Promise<void>;
  /** Keeps what a person put into an input block until the form is submitted. */
  change(field: { blockId: string; actionId: string }, value: FieldValue): void;
  suggest(actionId: string, typed: string): Promise<readonly Choice[]>;
  /** Asks the person; resolves with their answer. */
  confirm(dialog: ConfirmationDialog): Promise<boolean>;
}

/** Hands the surface to the elements of its blocks. */
export const ElementHostContext = createContext<ElementHost | undefined>(undefined);

/** The surface around an element; throws outside of one. */
export function useElementHost(): ElementHost {
  const host = useContext(ElementHostContext);
  if (host === undefined) throw new Error('This element needs an ElementHostContext around it.');
  return host;
}

/** Where an element stands, and whether it collects a value (input block) or acts at once. */
export interface Place {
  readonly blockId: string;
  readonly isField: boolean;
  /** Input blocks with `dispatch_action` do both. */
  readonly dispatches: boolean;
  /** Ids of the label and of the control that it names, in an input block. */
  readonly label?: { readonly id: string; readonly controlId: string };
  readonly describedBy?: string;
  readonly isInvalid?: boolean;
}

/** An element that can be pressed: its own confirmation is asked first. */
interface Pressable {
  readonly action_id?: string;
  readonly confirm?: ConfirmationDialog;
}

/** Delivers presses of one element and says whether one is under way. */
export function usePress(element: Pressable, place: Place) {
  const host = useElementHost();
  const [isBusy, setBusy] = useState(false);
  const press = async (detail: { option?: string; value?: string }) => {
    if (element.confirm !== undefined && !(await host.confirm(element.confirm))) return;
    setBusy(true);
    try {
      await host.press({ actionId: element.action_id ?? '', blockId: place.blockId, ...detail });
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, press };
}

/** The test hooks and names that every control carries. */
export function controlProps(element: { action_id?: string }, place: Place, fallbackLabel: string) {
  return {
    'data-action-id': element.action_id,
    'data-block-id': place.blockId,
    'aria-describedby': place.describedBy,
    'aria-invalid': place.isInvalid || undefined,
    ...(place.label === undefined
      ? { 'aria-label': fallbackLabel }
      : { 'aria-labelledby': place.label.id, id: place.label.controlId }),
  } as const;
}
