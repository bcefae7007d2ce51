/** The keys of programs: what each may do, until when, and when it was last used. */
import { useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { Ago, Moment } from '../moments';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { focusPageTitle } from '../shell/focus-back';
import { Icon } from '../shell/icon';
import { useKeys, useListKeys } from '../shell/keyboard';
import { told } from '../shell/notice';
import { NotLoaded, Sentence, Waiting } from '../shell/sentence';
import { useVacancies } from '../vacancies';
import { actorInWords } from './actor-in-words';
import { listKeys, revokeKey } from './calls';
import type { Key, NewKey } from './calls';
import { KeyDialog } from './key-dialog';
import { useRecordsTexts } from './texts';
import { TokenDialog } from './token-dialog';

const KEYS = ['keys'] as const;

export function KeysTab() {
  const { keys, tabs } = useRecordsTexts();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: KEYS, queryFn: listKeys });
  const [isCreating, setCreating] = useState(false);
  const [fresh, setFresh] = useState<NewKey | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const rows = useRef<HTMLUListElement>(null);
  useListKeys(rows, '.person-menu');
  useKeys({ n: () => setCreating(true) });
  useLostFocus(data, focusPageTitle);
  const changed = (): void => {
    void queries.invalidateQueries({ queryKey: KEYS });
    void queries.invalidateQueries({ queryKey: ['audit'] });
  };
  const askRevoke = ({ id, name }: Key): void => {
    const { title, done, text, action } = keys.revoke;
    setQuestion({
      ...{ title: title(name), text, action, isGrave: true },
      run: async () => {
        await revokeKey(id);
        told(done);
        changed();
      },
    });
  };
  const found = data?.keys ?? [];
  return (
    <>
      <div className="records-head">
        <p className="records-lead">{keys.lead}</p>
        <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
          {keys.create}
        </Button>
      </div>
      {data === undefined &&
        (error === null ? <Waiting rows={4} /> : <NotLoaded error={error} onAgain={refetch} />)}
      {data !== undefined && found.length === 0 && <Sentence {...keys.empty} />}
      {found.length > 0 && (
        <section className="people" aria-label={tabs.keys}>
          <ul ref={rows}>
            {found.map((one) => (
              <KeyRow key={one.id} shown={one} onRevoke={() => askRevoke(one)} />
            ))}
          </ul>
        </section>
      )}
      <KeyDialog
        opened={isCreating}
        onClose={() => setCreating(false)}
        onCreated={(key) => {
          setCreating(false);
          setFresh(key);
          changed();
        }}
      />
      <TokenDialog made={fresh} onClose={() => setFresh(null)} />
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
    </>
  );
}

function KeyRow({ shown, onRevoke }: { shown: Key; onRevoke: () => void }) {
  const { keys, audit } = useRecordsTexts();
  const { titles } = useVacancies();
  const { name, state, scopes, vacancies, createdBy, expiresAt, usedAt } = shown;
  // One of a newer version is shown by its own name.
  const words: Readonly<Record<string, string>> = keys.scopes;
  const reached =
    vacancies === null ? keys.all : vacancies.map((slug) => titles.get(slug) ?? slug).join(', ');
  return (
    <li className="person key-row" data-disabled={state !== 'live'}>
      <div className="person-who">
        <strong>{name}</strong>
        {state !== 'live' && <span className="tag tag-grave">{keys.states[state]}</span>}
        <span className="soft">{keys.madeBy(actorInWords(createdBy, audit))}</span>
      </div>
      <div className="person-role">
        <span className="key-scopes">
          {scopes.map((scope) => words[scope] ?? scope).join(', ')}
        </span>
        <span className="soft">{reached}</span>
      </div>
      <div className="person-seen">
        <span>
          {keys.until} <Moment at={expiresAt} />
        </span>
        <span className="soft">
          {usedAt === null ? (
            keys.never
          ) : (
            <>
              {keys.used} <Ago at={usedAt} />
            </>
          )}
        </span>
      </div>
      {state === 'live' && (
        <Button
          className="person-menu"
          variant="subtle"
          size="sm"
          aria-label={keys.actionsOf(name)}
          onClick={onRevoke}
        >
          {keys.revoke.open}
        </Button>
      )}
    </li>
  );
}
