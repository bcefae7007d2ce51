/** How long data is kept, what the next run would delete, and for admins a run before it. */
import { useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Moment } from '../moments';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { told } from '../shell/notice';
import { NotLoaded, Waiting } from '../shell/sentence';
import { useSession } from '../shell/session';
import { readRetention, runRetention } from './calls';
import type { Retention } from './calls';
import { useRecordsTexts } from './texts';

const RETENTION = ['retention'] as const;

export function RetentionTab() {
  const { retention } = useRecordsTexts();
  const { scopes } = useSession();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: RETENTION, queryFn: readRetention });
  const [question, setQuestion] = useState<Question | null>(null);
  const ask = (): void => {
    const { done, hasMore, ...asked } = retention.run;
    setQuestion({
      ...asked,
      isGrave: true,
      run: async () => {
        const result = await runRetention();
        const count = Object.values(result.deleted).reduce((sum, one) => sum + one, 0);
        told(result.hasMore ? `${done(count)} ${hasMore}` : done(count));
        for (const key of ['retention', 'candidates', 'interviews', 'audit']) {
          void queries.invalidateQueries({ queryKey: [key] });
        }
      },
    });
  };
  return (
    <>
      <p className="records-lead">{retention.lead}</p>
      {data === undefined &&
        (error === null ? <Waiting rows={6} /> : <NotLoaded error={error} onAgain={refetch} />)}
      {data !== undefined && (
        <>
          <Rules rules={data.rules} />
          <div className="records-next">
            <p>
              {retention.next} <Moment at={data.nextRunAt} />. {retention.holds(data.holds)}
            </p>
            {scopes.includes('retention:run') && (
              <Button variant="default" onClick={ask}>
                {retention.runNow}
              </Button>
            )}
          </div>
        </>
      )}
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
    </>
  );
}

function Rules({ rules }: { rules: Retention['rules'] }) {
  const { retention, tabs } = useRecordsTexts();
  return (
    <table className="records-table" aria-label={tabs.retention}>
      <thead>
        <tr>
          {[retention.class, retention.kept, retention.due, retention.oldest].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rules.map(({ class: name, keptDays, source, count, oldestAt }) => (
          <tr key={name}>
            <th scope="row">{retention.classes[name]}</th>
            <td data-label={retention.kept}>
              {keptDays === null ? retention.untilErased : retention.days(keptDays)}
              {keptDays !== null && <span className="soft records-source">{source}</span>}
            </td>
            <td data-label={retention.due} data-due={count > 0}>
              {count === 0 ? retention.nothing : count}
            </td>
            <td data-label={retention.oldest}>
              {oldestAt === null ? '—' : <Moment at={oldestAt} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
