import { ACTIONS } from './actions';
import type { RecordsTexts } from './texts';

const NUMBERS = new Intl.NumberFormat('en');

function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${NUMBERS.format(count)} ${count === 1 ? noun : many}`;
}

export const en: RecordsTexts = {
  tabs: {
    audit: 'Audit',
    candidates: 'Candidates',
    exports: 'Exports',
    retention: 'Retention',
    keys: 'Keys',
  },
  parts: 'Parts of the records',
  saved: 'The file is saved.',
  problem: ({ code }) =>
    code === 'file_cut'
      ? 'The file broke off before its end, so nothing was saved. Try again.'
      : code === 'candidate_unknown'
        ? 'Nothing is stored about this candidate any more.'
        : code === 'key_name_taken'
          ? 'A key has or had this name. Choose another one.'
          : code === 'key_end_invalid'
            ? 'A key ends in the future, and within a year.'
            : code === 'key_unknown'
              ? 'There is no such key any more. Open the page again.'
              : code === 'beyond_key'
                ? 'This reaches further than your own rights.'
                : null,
  more: 'Show more',
  audit: {
    lead: 'Who did what, of whom, and when. Names of candidates are not stored here: they are shown while the candidate is, and go with an erasure.',
    filters: 'Filter the audit',
    anyone: 'Anyone',
    anything: 'Anything',
    from: 'From',
    to: 'To',
    about: 'Only about one subject',
    clear: 'Show everything',
    at: 'When',
    who: 'Who',
    what: 'What',
    whom: 'Of whom',
    actions: ACTIONS.en,
    actors: {
      'command line': 'Command line',
      candidate: 'The candidate',
      retention: 'Retention',
    },
    key: (name) => `Key ${name}`,
    kinds: {
      candidate: 'Candidate',
      interview: 'Interview',
      vacancy: 'Vacancy',
      user: 'Colleague',
      key: 'Key',
    },
    erased: 'Erased',
    nameless: 'No name',
    shown: (count, hasMore) => `${counted(count, 'row')}${hasMore ? ', and more' : ''}`,
    nothing: {
      title: 'Nothing matches these filters',
      text: 'Choose another person, action or time.',
    },
    file: 'Export',
    formats: { csv: 'CSV for a spreadsheet', json: 'JSON for a program' },
  },
  candidates: {
    lead: 'For requests of candidates: a copy of everything that is stored about them, or its erasure.',
    search: 'Search by name or external id',
    nameless: 'No name yet',
    held: 'Legal hold',
    noInterview: 'Invited, not opened',
    empty: { title: 'No candidates yet', text: 'Whoever is invited or opens a link appears here.' },
    nothing: {
      title: 'Nobody was found',
      text: 'Enter the beginning of a name, or a whole external id.',
    },
    actionsOf: (name) => `Actions for ${name}`,
    inAudit: 'Show in the audit',
    export: {
      open: 'Export everything',
      title: 'Export everything about this candidate?',
      text: 'The file is for the candidate: it holds all messages, recordings, ratings and decisions. Once you have it you can no longer rate the answers that you have not rated, so leave it to somebody who does not rate this candidate.',
      action: 'Save the file',
    },
    erase: {
      open: 'Erase',
      title: (name) => `Erase everything about ${name}?`,
      lead: 'This deletes at once, and nobody can undo it:',
      stored: {
        interviews: (n) => counted(n, 'interview'),
        messages: (n) => counted(n, 'line of transcripts', 'lines of transcripts'),
        recordings: (n) => counted(n, 'recording'),
        files: (n) => counted(n, 'file'),
        invitations: (n) => counted(n, 'invitation'),
        scorings: (n) => counted(n, 'scoring'),
        ratings: (n) => counted(n, 'rating of colleagues', 'ratings of colleagues'),
        decisions: (n) => counted(n, 'decision'),
      },
      stays:
        'What stays leads to nobody: how much was erased and when, rows of the audit without a name, and hashes of decision files. Files that somebody has saved outside are not deleted.',
      hold: (by, moment, reason) =>
        `There is a legal hold, placed by ${by} on ${moment}: ${reason} A hold stops only deletion by age. It does not stop what you do here, so ask whoever placed it first.`,
      kept: (days) =>
        `Your policy keeps interviews for ${counted(days, 'day')}. An erasure does not wait for that.`,
      type: (word) => `To confirm, type: ${word}`,
      word: 'erase',
      action: 'Erase for good',
      done: 'Everything about this candidate is erased.',
    },
  },
  exports: {
    lead: 'The interviews of a filter as one file. Each of them is noted in the audit as exported by you.',
    state: 'State',
    vacancy: 'Vacancy',
    text: 'Name or external id',
    from: 'Opened from',
    to: 'Opened until',
    format: 'Format',
    formats: { csv: 'CSV for a spreadsheet', json: 'JSON for a program' },
    language: 'Language of the columns',
    languages: { en: 'English', ru: 'Русский' },
    separator: 'Separator',
    separators: { comma: 'Comma', semicolon: 'Semicolon', tab: 'Tab' },
    note: 'A score is in the file where you have rated all answers of the interview. Those ratings of yours then stay as they are.',
    action: 'Export',
    busy: 'Preparing the file…',
  },
  retention: {
    lead: 'How long data is kept. Every hour, what is older is deleted by itself. Whoever runs the server sets the periods.',
    class: 'What',
    kept: 'Kept for',
    due: 'Next run deletes',
    oldest: 'Oldest',
    classes: {
      transcript: 'Candidates with their interviews',
      media: 'Recordings and files',
      scores: 'Scores and ratings',
      decisions: 'Decisions',
      not_started: 'Candidates who never agreed',
      preview: 'Previews of vacancies',
      account: 'Telegram accounts without an interview',
    },
    days: (days) => counted(days, 'day'),
    untilErased: 'Until somebody erases it',
    nothing: 'Nothing',
    holds: (count) =>
      count === 0
        ? 'No candidate is on legal hold.'
        : `${counted(count, 'candidate')} on legal hold: nothing of theirs is deleted by age.`,
    next: 'Next run:',
    run: {
      title: 'Delete now what is due?',
      text: 'What the table shows as due is deleted for good, as the next run would. At most 200 of each kind at a time.',
      action: 'Delete now',
      done: (count) => (count === 0 ? 'Nothing was due.' : `Deleted: ${NUMBERS.format(count)}.`),
      hasMore: 'More is due: run it again, or wait for the next hours.',
    },
    runNow: 'Run now',
  },
  keys: {
    lead: 'A key lets a program work with the API. It can do what its rights say and nothing else, and the audit names it.',
    create: 'New key',
    states: { live: 'Works', expired: 'Expired', revoked: 'Revoked' },
    all: 'All vacancies',
    until: 'Until',
    used: 'Used',
    never: 'Never used',
    madeBy: (name) => `By ${name}`,
    empty: { title: 'No keys yet', text: 'Make one for each program that works with the API.' },
    actionsOf: (name) => `Revoke the key ${name}`,
    form: {
      title: 'New key',
      name: 'Name',
      nameNote: 'The audit names it so. Small letters, digits and . _ -',
      nameWrong: 'Small letters, digits and the signs . _ - only, at most 63.',
      scopes: 'What it may do',
      scopesWrong: 'Choose at least one.',
      vacancies: 'Only for these vacancies',
      vacanciesNote: 'If none is chosen, it reaches all.',
      end: 'Works until',
      endNote: 'At most a year.',
      endWrong: 'Choose a day within the next year.',
      action: 'Make the key',
    },
    scopes: {
      'vacancies:read': 'Read vacancies',
      'vacancies:write': 'Create, change, close vacancies',
      'invitations:read': 'Read invitations',
      'invitations:write': 'Invite, issue again, revoke',
      'interviews:read': 'Read interviews and transcripts',
      'attention:read': 'Read what needs a person',
      'attention:write': 'Answer candidates, close items',
      'scores:read': 'Read scores',
      'decisions:read': 'Read decisions',
      'candidates:export': 'Export data of candidates',
      'candidates:erase': 'Erase candidates',
      'keys:write': 'Manage keys, read the audit',
    },
    token: {
      title: 'The key is ready',
      text: (name) => `Put it into the program “${name}” now. It is shown only here.`,
      label: 'Key',
      copy: 'Copy the key',
      copied: 'Copied',
      refused: 'The browser does not copy here. Copy the selected key yourself.',
      close: 'Done',
    },
    revoke: {
      open: 'Revoke',
      title: (name) => `Revoke the key ${name}?`,
      text: 'The program that has it is locked out at once. It cannot be undone; you can make another key.',
      action: 'Revoke',
      done: 'The key is revoked.',
    },
  },
};
