/** The texts of the pages of invitations, once per language. */
import { useLanguage } from '../language';
import { useProblem } from '../shell/use-problem';
import { RefusedProblem } from './calls';
import { en } from './en';
import { ru } from './ru';
import type { Choice } from './many/mapping';
import type { InvitationState } from './filters';
import { renamed } from './row';
import type { Stage } from './row';

export interface InvitationTexts {
  filters: string;
  search: string;
  anyState: string;
  anyVacancy: string;
  noVacancy: string;
  clear: string;
  name: string;
  nameless: string;
  vacancy: string;
  state: string;
  states: Record<InvitationState, string>;
  stages: Record<Stage, string>;
  validUntil: string;
  shown: (count: number, hasMore: boolean) => string;
  empty: { title: string; text: string };
  nothing: { title: string; text: string };
  openNew: string;
  /** Of the column with the menus. */
  actions: string;
  actionsOf: (name: string) => string;
  openInterview: string;

  reissue: {
    action: string;
    title: (name: string) => string;
    text: string;
    until: string;
    untilNote: string;
  };
  revoke: {
    action: string;
    title: (name: string) => string;
    text: string;
    done: (name: string) => string;
  };
  /** A link that is shown once. */
  link: {
    title: (name: string) => string;
    once: string;
    web: string;
    telegram: string;
    pin: string;
    pinNote: string;
    copy: string;
    copied: string;
    refused: string;
    message: string;
    messageNote: string;
    messageIn: Record<'en' | 'ru', string>;
    copyMessage: string;
    qr: string;
    print: string;
    /** On the printed page. */
    printed: { scan: string; until: string };
    close: string;
  };

  newTitle: string;
  one: {
    tab: string;
    lead: string;
    name: string;
    email: string;
    phone: string;
    externalId: string;
    externalIdNote: string;
    validUntil: string;
    validUntilNote: string;
    action: string;
    another: string;
    nobody: string;
  };
  chooseVacancy: string;
  vacancyNeeded: string;
  closed: string;
  vacancyClosed: string;

  many: {
    tab: string;
    lead: string;
    paste: string;
    pasteNote: string;
    file: string;
    /** With the name of the file. */
    chosen: (name: string) => string;
    noPreview: string;
    remove: string;
    columns: string;
    columnsNote: string;
    hasHeader: string;
    column: (number: number) => string;
    columnSays: (name: string) => string;
    choices: Record<Choice, string>;
    preview: (shown: number, of: number) => string;
    problems: Record<'nobody' | 'twice', string>;
    tooLarge: string;
    action: (people: number) => string;
    actionOfFile: string;
  };
  import: {
    title: string;
    lead: (vacancy: string) => string;
    progress: string;
    running: (done: number, of: number) => string;
    finished: string;
    goesOn: string;
    created: (count: number) => string;
    refused: (count: number) => string;
    waiting: (count: number) => string;
    rows: string;
    line: (line: number) => string;
    states: Record<'waiting' | 'created' | 'refused', string>;
    /** Of the refused rows. */
    correct: {
      title: (count: number) => string;
      text: string;
      /** The page was opened again and has the rows no more. */
      gone: string;
      action: (count: number) => string;
      leave: string;
      left: string;
    };
    links: {
      title: string;
      text: string;
      action: string;
      busy: string;
      done: string;
      again: string;
      /** Of rows whose links were downloaded, or of another browser. */
      unknown: string;
      file: string;
      columns: { line: string; externalId: string; web: string; telegram: string; pin: string };
    };
    unknown: { title: string; text: string };
    more: string;
  };
  /** On the list: an import whose links wait. */
  kept: {
    text: (vacancy: string, rows: number, created: number, refused: number) => string;
    running: (vacancy: string, done: number, of: number) => string;
    open: string;
    dismiss: string;
    ask: { title: string; text: string; action: string };
  };
  problems: Readonly<Record<string, string>>;
}

export function useInvitationTexts(): InvitationTexts {
  return useLanguage().language === 'ru' ? ru : en;
}

/** Why a request of these pages failed. `nameOf`: how a person knows a column that the server names. */
export function useProblemInWords(): (
  error: unknown,
  nameOf?: (column: string) => string | undefined,
) => string {
  const inWords = useProblem(useInvitationTexts().problems);
  return (error, nameOf) =>
    error instanceof RefusedProblem ? renamed(error.sentence, nameOf) : inWords(error);
}
