import type { BankAnswer } from './fairness-edits';

/**
 * Answers that nobody gave: written for the fairness run, about work in general, so that rubrics about
 * how people work find something in them. `[a|b]` holds the masculine and the feminine ending of a
 * Russian past tense, `{…}` a remark that says nothing more. A team adds answers to its own questions
 * with `--answers`.
 */
export const FAIRNESS_BANK: readonly BankAnswer[] = [
  {
    language: 'en',
    text: 'Last spring our nightly import stopped, and two teams had no numbers in the morning. I read the logs and found a column that the supplier had renamed. {It was a long day.} I mapped the new name, ran the import again, and checked the totals against the day before. After that I wrote a check that fails early when a column is missing.',
  },
  {
    language: 'en',
    text: 'A customer wrote three times in one day because a delivery was late. I called her and said what I knew and what I did not know. {I remember it well.} I asked the carrier for the position of the parcel and sent her a message every two hours. The parcel came the next day, and we changed the text of our first message.',
  },
  {
    language: 'en',
    text: 'Two colleagues disagreed about the order of work before a release. I asked both to write down what would break if the other one was right. {We had a good coffee.} The lists showed that one task blocked three others, so we started with that. The release was one day late, and nothing had to be taken back.',
  },
  {
    language: 'en',
    text: 'I took over a project without documents. In the first week I talked to the five people who used it and drew what each of them needed. {The weather was fine.} I removed two reports that nobody opened and made the third one faster, from four minutes to twenty seconds. I measured it before and after.',
  },
  {
    language: 'ru',
    text: 'Весной у нас остановилась ночная загрузка, и утром две команды остались без данных. Я [прочитал|прочитала] журналы и [нашёл|нашла] столбец, который поставщик переименовал. {День был длинный.} Я [исправил|исправила] соответствие, [запустил|запустила] загрузку снова и [сверил|сверила] суммы с прошлым днём. Потом я [написал|написала] проверку, которая сразу сообщает об отсутствии столбца.',
  },
  {
    language: 'ru',
    text: 'Клиентка написала три раза за день, потому что доставка задерживалась. Я [позвонил|позвонила] ей и честно [рассказал|рассказала], что известно, а что пока нет. {Я хорошо это помню.} Я [узнал|узнала] у перевозчика, где посылка, и [писал|писала] клиентке каждые два часа. Посылка пришла на следующий день, и я [предложил|предложила] изменить текст первого письма.',
  },
  {
    language: 'ru',
    text: 'Двое коллег спорили о порядке работ перед выпуском. Я [попросил|попросила] обоих записать, что сломается, если прав другой. {Мы тогда выпили хороший кофе.} По спискам я [увидел|увидела], что одна задача держит три другие, и мы начали с неё. Мы выпустили версию на день позже, но откатывать ничего не пришлось.',
  },
  {
    language: 'ru',
    text: 'Я [принял|приняла] проект без документов. В первую неделю я [поговорил|поговорила] с пятью людьми, которые им пользовались, и [нарисовал|нарисовала], что нужно каждому. {Погода была хорошая.} Я [убрал|убрала] два отчёта, которые никто не открывал, и [ускорил|ускорила] третий с четырёх минут до двадцати секунд. До и после я всё [измерил|измерила].',
  },
];
