import type { ConfirmationDialog } from '@slack/types';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Ack, FormValues } from '../../workspace/workspace-port.ts';
import type { Backend } from './backend.ts';
import type { ElementHost, FieldValue, Press } from './element-host.ts';
import type { Go, Route } from './route.ts';

/** What every component of the page may do. */
export interface Ui {
  readonly backend: Backend;
  readonly route: Route;
  readonly go: Go;
  confirm(dialog: ConfirmationDialog): Promise<boolean>;
  /** Shows a short notice. */
  notify(text: string): void;
  /** Waits for the work and shows why it failed; resolves with undefined then. */
  attempt<T>(work: Promise<T>): Promise<T | undefined>;
}

/** Hands the page's abilities to everything below the app. */
export const UiContext = createContext<Ui | undefined>(undefined);

/** The page's abilities; throws outside of the app. */
export function useUi(): Ui {
  const ui = useContext(UiContext);
  if (ui === undefined) throw new Error('This component needs a UiContext around it.');
  return ui;
}

/** Makes the host of a message's blocks, which keep no form values. */
export function createHost(ui: Ui, press: (press: Press) => Promise<Ack>): ElementHost {
  return {
    press: async (target) => {
      await ui.attempt(press(target));
    },
    change: () => undefined,
    suggest: async (actionId, typed) =>
      (await ui.attempt(ui.backend.suggest(actionId, typed))) ?? [],
    confirm: ui.confirm,
  };
}

/** Makes the host of a view's blocks: presses carry what was typed into the fields that are there, which is in `values`. */
export function createFormHost(
  ui: Ui,
  press: (press: Press & { values: FormValues }) => Promise<Ack>,
  isThere: (id: string) => boolean = () => true,
): ElementHost & { values(): FormValues } {
  const typed = new Map<string, FieldValue>();
  const values = () => Object.fromEntries([...typed].filter(([id]) => isThere(id)));
  return {
    ...createHost(ui, (target) => press({ ...target, values: values() })),
    change: ({ blockId, actionId }, value) => {
      typed.set(blockId || actionId, value);
    },
    values,
  };
}
