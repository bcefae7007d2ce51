/**
 * The address under which one interview was read before there were accounts. With a session it leads to the
 * interview's page. Without one the admin token reads the transcript, as it is documented.
 */
import { useEffect, useState } from 'react';
import { Redirect } from 'wouter';
import { ConsoleApp } from '../../src/console/console-app';
import { ConsoleVisit } from '../../src/console/console-visit';
import { readSession } from '../api/calls';
import { Opening } from '../frame';
import { interviewAt } from '../places';
import '../../src/styles/console.css';

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function OldAddress({ id: given }: { id: string }) {
  const id = given.replace(/\/$/, '');
  const [reader, setReader] = useState<'colleague' | ConsoleVisit | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const readByToken = (): void => {
      const visit = new ConsoleVisit(ID.test(id) ? id : null);
      void visit.load();
      if (isCurrent) setReader(visit);
    };
    readSession().then(() => {
      if (isCurrent) setReader('colleague');
    }, readByToken);
    return () => {
      isCurrent = false;
    };
  }, [id]);
  if (reader === null) return <Opening />;
  if (reader === 'colleague') return <Redirect to={interviewAt(id)} replace />;
  return <ConsoleApp visit={reader} />;
}
