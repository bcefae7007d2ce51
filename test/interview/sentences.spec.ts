import fc from 'fast-check';
import { isQuestion, SentenceReader, sentencesOf } from '../../src/interview/turn/sentences';

test.each([
  ['Thanks. Which one was it?', ['Thanks.', ' Which one was it?']],
  ['It took 2.5 hours. Fine.', ['It took 2.5 hours.', ' Fine.']],
  ['Use a tool, e.g. Kafka or a queue. Fine.', ['Use a tool, e.g. Kafka or a queue.', ' Fine.']],
  ['Ask Dr. Smith. Fine.', ['Ask Dr. Smith.', ' Fine.']],
  ['По вторникам, т. е. Каждую неделю. Да.', ['По вторникам, т. е. Каждую неделю.', ' Да.']],
  ['Really?! Yes… And then?', ['Really?!', ' Yes…', ' And then?']],
  ['She said "No." Then she left.', ['She said "No."', ' Then she left.']],
  ['«Нет». Потом ушла.', ['«Нет».', ' Потом ушла.']],
  ['One line\nanother line', ['One line', '\nanother line']],
  ['1. The first thing. Done.', ['1. The first thing.', ' Done.']],
  ['well... it depends. ok', ['well... it depends. ok']],
  ['', []],
  ['  ', []],
])('%j is cut into sentences', (text, expected) => {
  expect(sentencesOf(text)).toEqual(expected);
});

test.each([
  ['Which one?', true],
  ['Which one (the first)?', true],
  ['«Какой?»', true],
  ['Why?! ', true],
  ['Is that so? Yes.', false],
  ['No.', false],
])('whether %j asks: %j', (sentence, expected) => {
  expect(isQuestion(sentence)).toBe(expected);
});

test('how a text is cut into pieces makes no difference, and nothing is lost', () => {
  const part = fc.constantFrom(
    'ok',
    '.',
    '?',
    ' ',
    '\n',
    'e.g.',
    '2.5',
    '"',
    'Да',
    '🙂',
    '…',
    'Mr.',
  );
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(60)), (parts, places) => {
      const text = parts.join('');
      const cuts = [
        0,
        ...places.filter((at) => at < text.length).sort((a, b) => a - b),
        text.length,
      ];
      const reader = new SentenceReader();
      const read = cuts.slice(1).flatMap((end, at) => reader.push(text.slice(cuts[at], end)));
      const sentences = [...read, ...reader.end()];
      expect(sentences).toEqual(sentencesOf(text));
      expect(text.startsWith(sentences.join(''))).toBe(true);
      expect(text.slice(sentences.join('').length).trim()).toBe('');
    }),
    { numRuns: 1000 },
  );
});
