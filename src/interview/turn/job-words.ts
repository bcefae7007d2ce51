/**
 * The words by which a sentence of a reply is recognised as one about the company, the job or the process, in
 * English and Russian. Each form is an expression for whole words of a clause, which are in lower case, without
 * marks, with a space around each; `~` stands for any ending. Forms stand apart by ` | ` or a new line.
 */
function words({ raw }: TemplateStringsArray): RegExp {
  const forms = raw
    .join('')
    .trim()
    .split(/\s*\n\s*|\s+\|\s+/u);
  const any = forms.join('|').replaceAll('~', String.raw`[\p{L}\p{N}'-]*`);
  return new RegExp(` (?:${any})(?= )`, 'u');
}

/** Conditions of a job, by what they are, so that "отпуск" is proven by "vacation". */
export const CONDITIONS: Readonly<Record<string, RegExp>> = {
  pay: words`
    salar~ | wages? | payroll | payday | pay (?:is|range|rises?|scale) | well paid | pays? well
    compensation(?= (?:is|package|here|of|for|range))
    зарплат~ | зарабат~ | заработ(?:ок|к|н)~ | оклад~ | доход(?:а|у|ом|е|ы|ов)? | вилк~ | платят | платится
    (?:о|вы)плачива(?:ют|ется|ются)`,
  bonus: words`
    bonus(?:es)?(?! (?:point|rule|calculation|program|level|round))
    преми(?:я|и|ю|ей|й|ям|ями)(?! (?:рунета|за|имени)) | бонусы?`,
  equity: words`
    equity(?! (?:deriv|product|pric|fund|market|trad|research)) | (?:stock|share) options? | rsus? | опцион~`,
  leave: words`
    vacations? | holidays? | days? off | (?:sick|paid|parental|annual) leave | pto
    отпуск~ | отгул~ | больничн~ | декрет~ | выходн(?:ые|ых|ым|ой)`,
  remote: words`
    (?:remote|remotely|hybrid)(?! (?:procedure|call|server|node|host|machine|service|branch))
    from home | home office | on-?site | offices?
    удаленк~ | удаленно | удаленн(?:ая|ой|ую|ые)(?! (?:вызов|сервер|узл|машин|хост)) | гибридн~
    офис~ | из дома | дистанционн~`,
  relocation: words`relocat~ | релокац~ | переезд~`,
  permit: words`
    visas?(?! (?:process|system|project|queue|application|cent)) | sponsor~ | work permits?
    виз(?:а|ы|у|ой|е|ам|ами|ах)? | разрешени\S* на работу`,
  insurance: words`
    (?:health|medical|dental|life) (?:insurance|plan|cover) | insurance (?:is|from|for you) | pensions?
    дмс | страховк~ | медицинск\S* страх~ | соцпакет~ | пенси~`,
  hours: words`
    overtime | on[ -]call | (?:night|early|late|day|weekend) shifts? | shifts (?:are|of|a|per) | working hours
    full-?time | part-?time
    переработ~ | дежурств~ | смен(?:а|ы|у|е|ой|ам|ами|ах)? | график~ | занятост~ | рабоч(?:ий день|ее время)`,
  frequency: words`
    (?:once|twice|times) (?:a|per) (?:week|month|quarter|year)
    (?:раз|раза|дважды) в (?:неделю|месяц|квартал|год|полгода)`,
  probation: words`probation~ | trial period | испытательн~`,
  contract: words`
    contract (?:is|lasts|runs|of) | permanent (?:contract|position|role|job) | fixed-term | freelanc~
    бессрочн~ | трудов\S* договор~ | договор (?:на|бессроч|сроч)~ | самозанят~`,
  growth: words`
    promotions? | training budget | career (?:path|growth)
    повышени\S* (?:зарплат|оклад|раз|кажд)~ | карьерн~ | на обучение`,
  perks: words`
    gym | lunch(?:es)? | snacks | parking | macbooks? | laptops? | perks | dress code
    (?:company|great|our|good) benefits
    спортзал~ | обед(?:ы|ов|ами) | парковк~ | ноутбук~ | льгот~ | плюшк~ | терраса | дресс-код~`,
  process: words`
    (?:technical|second|third|final|next|last|panel|another|more) (?:interviews?|rounds?)
    (?:final|more|further) stages? | next steps? (?:is|are|will) | (?:interview|further) rounds?
    rounds of interviews? | test task | take-?home | trial day | job offer | (?:reference|background) checks?
    founders? | start date | headcount | hiring process
    (?:техническ|следующ|втор|финальн|очн)\S* (?:интервью|этап|собеседовани|встреч)~ | оффер~
    тестов\S* задани~ | еще (?:\S+ )?этап(?:а|ов)? | основател~ | сделают предложение | дата выхода`,
};

/** Days and months by their names: each is a claim of its own. */
export const DAYS = new RegExp(
  `(?<= )(?:${[
    ...['(?:mon|tues|wednes|thurs|fri|satur|sun)days?', 'tomorrow', '(?:next|this) week'],
    String.raw`(?:march|may|august)(?= \d)|(?:(?:in|from|until|till|by|since|of|\d) )(?:march|may|august)`,
    ...[
      'january',
      'february',
      'april',
      'june',
      'july',
      'september',
      'october',
      'november',
      'december',
    ],
    String.raw`(?:понедельник|вторник|четверг|пятниц|суббот|воскресень)\S*`,
    ...['завтра', '(?:на )?(?:следующей|этой) неделе', 'марта?', 'ма[яе]'],
    String.raw`(?:январ|феврал|апрел|июн|июл|август|сентябр|октябр|ноябр|декабр)\S*`,
  ].join('|')})(?= )`,
  'gu',
);

/** The company speaks of itself, or the job is named. */
export const OURS = words`
  we | we'(?:re|ll|ve|d) | us | ours? | hr | recruiters?
  (?:this|our) (?:role|job|position|vacancy|company)
  the (?:role|position|vacancy) (?:\p{L}+s|will|would)
  the (?:job|company|employer|firm|team) (?:here|pays|requires|offers|has)
  the job (?:is|needs|means|involves|includes|starts|comes)
  (?:every(?:one|body)|all) (?:here|gets?|has|receives|works)
  мы | нас | нам | нами | наш(?:а|е|и|у|ей|ем|его|ему|их|им|ими)?
  (?:эт|данн)\S+ (?:роли?|должност|вакансии|позици|компани)~ | рекрутер~ | вакансия
  все работают | всем (?:выдают|дают|платят)
  платим | берем | ждем | даем | ищем | возим | (?!случаем |урожаем )\p{L}{3,}(?:аем|яем|уем)`;

/** Nouns that may be the company's or the candidate's own. */
export const TEAM = words`
  (?:the|this) (?:\S+ )?(?:team|company|firm|employer|department|managers?|lead|boss|product|stack|job|role|position|office|ceo|cto)
  there(?:'s| is| are)(?! (?:no|nothing|anything)) | (?<=^ )(?:this |the )?(?:job|work) (?:is|has) | candidates?
  (?<=^ )работа(?! над| с ) | команд(?!ировк)~ | компани~ | руководител~ | штат(?:е|а) | кандидат~ | отдел(?:е|а)?
  the previous \p{L}+ | прежн\p{L}+ (?!работ)\p{L}+`;

/** What somebody adds of their own accord. */
export const BESIDE = words`by the way | incidentally | speaking of which | тоже | кстати | между прочим`;

/** In the job, or in this conversation. */
export const HERE = words`here | здесь | тут`;

/** What the interviewer can and cannot do here tells nothing of the job. */
export const MY_PART = words`
  i (?:can|cannot|can't|only|just) | я (?:здесь |тут )?(?:не )?(?:могу|только|лишь|просто)`;

/** The candidate's own team or company. */
export const OWN_TEAM = words`
  your (?:\S+ )?(?:team|company|firm|department|managers?|lead|boss|product|stack|job|office|ceo|cto)
  ваш\S* (?:\S+ )?(?:команд|компани|руководител|отдел)~`;

/** The candidate did it, or it takes up what they did. "Сравнили" without a subject is said to the candidate. */
export const BY_CANDIDATE = words`
  you | you'(?:ve|d) | it | this | them | both | вы | вами | у вас | за вами | на вас
  (?!(?:если|или|недели|цели|роли|модели|доли) )\p{L}{3,}ли(?:сь)?`;

/** The candidate is the one who acts. */
export const YOU_DID = words`you | you'(?:ve|d) | вы | вами`;

/** Said of a job by a candidate who wants it confirmed: "So the salary is 5,000". */
export const SUPPOSED = words`
  so | then | suppose | guess | assume | heard | read | is | are | right | correct
  то есть | значит | видимо | наверное | вроде | верно | правильно | понимаю | кажется`;

/** What happens next, and that the candidate is in or out: never the candidate's own words. */
export const PROMISES = words`
  (?:will|'ll|shall|going to|can) (?:also )?(?:contact|call|write to|email|invite|tell|inform|update|send|hear from) you
  (?:will|'ll|shall|should) (?:also )?(?:get back|reach out|be in touch|hear (?:back|from)) | be in touch | get in touch
  (?:we|they|hr|nora|team|recruiter|someone|somebody|manager)(?: will|'ll) (?:also )?(?:reply|respond|call|decide|review|read)
  you'll hear | let you know | let (?:nora|the team|them|hr) know | expect (?:an?|the|our) (?:answer|reply|email|call|decision|offer)
  i(?:'ll| will| can)? (?:promise|guarantee|assure|offer|confirm|forward|pass (?:this|it|you|your)|tell (?:nora|the|them|hr)|recommend)
  i passed (?:it|this) on | (?:you are|you're) (?:hired|in(?= $)|through|accepted|selected|shortlisted)
  you(?:'ve| have)? passed(?= $) | you(?:'ve| have)? passed (?:the|this|our) (?:interview|round|stage|screening|test|first)
  you(?:'ve| have)? made it (?:through|to|into) | made it this far | you (?:have|got|have got) the job | (?:hire|hiring) you
  welcome (?:aboard|to (?:the|our)) | congratulations(?! on) | your (?:application|candidacy|profile)
  (?:great|good|perfect|strong|strongest|best|ideal|top) (?:fit|match|candidate|applicant)
  (?:answer|reply|offer|decision|email|result|feedback)s? (?:will|would) (?:come|be|arrive) | roadmap
  interview (?:has|takes|lasts|consists) | interviews (?:end|take|last) | (?:no (?:influence|effect|impact) on|influence) (?:the|our) decision | chances
  finish now | interview is (?:over|finished|complete) | we are done
  свяж(?:емся|утся|ется|усь) | (?:вам|с вами) (?:\S+ ){0,2}(?:ответ|позвон|перезвон|напиш|сообщ|пришл|приглас|вышл)(?:ят|ит|им|ут|ет|ют|ем)
  (?:ответ|позвон|перезвон|напиш|сообщ|пришл|приглас|вышл)(?:ят|ит|им|ут|ет|ют|ем) вам | отвечу | ответ(?:ят|им) (?:в|за|через|на|до)
  передам | передадим | обещаю | гарантирую | уточню у | подтверждаю | запланирован\S* | дадут знать | дадим знать
  (?:ответ|результат) будет | (?:ответ|письмо|отзыв|предложение|приглашение) (?:вам )?придет | вам придет | ждите | впереди еще
  вы (?:нам )?(?:приняты|подходите|наняты) | вы прошли (?:отбор|этап|дальше|на|в|интервью|собеседование) | этап\S* вы прошли | вы справились(?= $)
  вас (?:\S+ ){0,3}(?:берем|возьмут|приняли|примут|выберут|выбрали) | (?:сильнейш|лучш|идеальн)\S* кандидат~ | ваш профиль
  добро пожаловать | поздравля\S+(?! с) | шанс(?:ы|ов|ам)? | на решение \S* ?не | не повлияет
  решение (?:принимает|принимают|примут|будет) | место \S+ \S+ (?:\S+ )?свободн\S+ | место открыл\S+ | made it (?:this|so) far | интервью (?:окончено|завершено)`;

/** What the candidate gets in the job. */
export const IN_THE_JOB = words`
  your (?:first|new|future) \S+ (?:is|will|would) | you get | you report
  your (?:manager|salary|desk|laptop|contract|team lead|trial period) (?:is|will|would)
  вы (?:\S+ )?(?:получите|узнаете|встретитесь|познакомитесь|начнете работать|замените|пройдете)
  вам (?:предложат|дадут|сделают) | выдадут
  ваш\S* (?:руководител|начальник|зарплат|команд|график)\S* буд\S+ | (?:с вами|у вас) будет | вас ждет | вас ждут
  в вашей (?:группе|команде) буд\S+ | начнете вы`;

/** What will be, and what the candidate would do. */
export const WOULD = words`
  (?<! (?:i|we|that|this|it)(?: \S+)? )(?:will|won't)(?! do) | (?:they|there|he|she)'ll
  you(?: also| then| only| never| always)? would(?! (?:rather|like|prefer)) | you'(?:ll|d)(?! (?:rather|like|prefer|better))
  будете | будет | будут | придется | предстоит | сможете`;

/** What the candidate may or has to do, but for how they may answer. */
export const YOU_MAY = words`
  you(?: also| then| only| never| always)? (?:can|can't|may|get to|must|should|(?:have|are going|need) to)(?! (?:write|answer|say|tell|name|describe|choose))
  вы(?: \S+)? (?:можете|должны)(?! (?:писать|отве|сказать|расск|назвать|описать|выбрать)) | (?:вам|вас)(?: \S+)? (?:можно|нужно|надо)`;

/** The same, said by the candidate. */
export const I_WOULD = words`
  i(?: \S+)? (?:will|would|can|could|may|must|should|need|have to) | i'(?:ll|d) | буду | смогу | могу | бы | готов~ | можно | нужно | надо | придется`;

/** A question or an example "that you would …". */
export const OF_WHAT_YOU_WOULD = / (?:that|which|whom?|whichever|what|as) you(?:'d| would) /u;

/** A clause that only supposes. */
export const SUPPOSES = /^ (?:(?:and|but|even|а|и|но|даже) )?(?:if|when|as|если|когда|как)(?= )/u;

/** A clause that says why. */
export const REASONS = /^ (?:because|since|as|потому что|поскольку|так как)(?= )/u;

/** A clause that goes on about what the one before is about. */
export const GOES_ON = /^ (?:and|и)(?= )/u;

/** The conversation itself: no fact in these. */
export const TALK = words`
  (?:we|we'll|we'd|let us|let's)(?: can| could| will| may| just| then| simply| now| both)* (?:move|go|get|do without|come|continue|skip|leave|return|pause|stop(?:ped)?|left|were|talk(?:ed)?|spoke|discussed|said|stay|start|begin|look|keep|carry)
  (?:we|we've|we have) (?:note|noted|record|recorded|understand|see|hear|appreciate) | let us
  can wait | (?:может|могут) подождать | подожд(?:ет|ут) | (?:tell|gives?|helps?|shows?|tells|lets) us | our (?:\S+ )?(?:conversation|interview|chat|talk|questions?|topic)
  можно (?:и |просто )?не | не обязательно | нас (?:\S+ )?интерес\S+ | (?:дает |дают )?нам (?:понятн|ясн|важн|хорош|полезн)\S+ | (?:дает|дают) нам
  (?:мы )?(?:можем )?(?:продолжим|вернемся|пойдем|идем|перейдем|пропустим|оставим|начнем|остановились|говорили|обсудили|записали|отметили|учли)
  пусть | пропускаем | оставляем | продолжаем | возвращаемся | переходим | двигаемся | записываем | отмечаем | понимаем | учитываем | желаем | сочувствуем
  наш\S* (?:\S+ )?(?:разговор|интервью|бесед|вопрос)~`;

/** It is only said that something is heard. */
export const ONLY_ACKNOWLEDGED =
  /^ (?:(?:and|is|are|all|that|duly|this|i|have|it|then|это|тоже|все|так|и|noted|understood|clear|recorded|thanks|thank|you|got|added|corrected|понятно|понятны|понятен|понятна|ясно|ясна|ясен|ясны|записано|записаны|записана|записан|отмечаю|отмечено|понимаю|вижу|see|принято|спасибо|учтено|добавлено|исправлено) )+$/u;

/** What the candidate is thanked for is their own. */
export const THANKED =
  /^ (?:(?:and|okay|great|хорошо) )?(?:thanks|thank you|спасибо)(?: (?:so much|very much|большое|вам))? (?:for|that|за|что)(?= )/u;

/** A clause about the question, the example or the story. */
export const ANCHORED = words`
  i | i'(?:m|ve|d|ll) | me | my | something | (?:can|must) be | questions? | examples? | answers? | details? | experience | story | stories
  honesty | openness | case | situation | interview | means? | meant | asks? | counts? | matters? | sentences? | words?
  in other words | put differently | imagine | subject | topic | nothing | whatever | whichever | either | anything
  значит | я | мне | меня | вопрос~ | пример~ | ответ(?:ы|а|е|у)? | подробност~ | опыт(?:а|е|ом)? | случа~ | истори~ | рассказ~
  интервью | речь | имеется | представьте | откровенность | главное | люб(?:ой|ая|ое|ую|ые|ых|ым|ого)
  надеюсь | рад | рада | жаль | тема | предложени(?:й|я) | бывает | страшного | достаточно | хватит`;

/** It takes up what was said, or wishes something. */
export const TAKES_UP =
  /^ (?:(?:and|so|but|yes|да|а|и|но) )*(?:that|that's|there is no|there's no|this|these|those|such|any|what|which|both|no|when|if|as long as|stay|enjoy|take|feel|keep|good luck|all the best|это|этот|эта|эти|такой|такая|такое|так|когда|если|пока|(?:\p{L}{1,3} )?котор\p{L}+)(?= )/u;

/** What is enough for an answer. */
export const ENOUGH = words`
  fine | enough | ok | okay | needed | points? (?:is|are) | welcome | will do | works
  no (?:harm|need|rush|right|wrong|fixed) | can be
  matters? | counts? | хватит | достаточно | годит?ся | годятся | подойд(?:ет|ут) | важ(?:ен|на|но|ны) | помо(?:жет|гут) | хватает | можно`;

/** What the question, or a word of it, is. */
export const DEFINES = /^ (?:(?:and|but|so|here) )*it(?:'s| is| means| need not| does not)(?= )/u;

/** A question that asks nothing. */
export const RHETORICAL =
  / (?:isn't it|right|ok|okay|you know|see|makes sense|get it|yeah|huh|да|понимаете|знаете|верно|так|не так ли|правда|ясно|понятно(?: \S+)?) $/u;

export const YOU = words`
  you | yours? | you'(?:ve|re|ll|d) | вы | вас | вам | вами | ваш~ | свой | свою | своя`;

/** An acknowledgement says that something is understood. */
export const ACKNOWLEDGED = words`
  clear | clearly | noted | understood | makes? sense | helps? | sounds? | seems? | shows? | explains?
  gives? (?:a|me) | (?:that|this|it|which) answers | enough | a lot | recorded | added | corrected | thanks | thank you | i see | понят~
  ясн~ | записан~ | принято | учтен~ | добавлен~ | исправлен~ | видно | звучит | похоже | спасибо | понимаю
  вижу`;

const IRREGULAR =
  'was were had did took went made led built wrote ran kept chose cut left won became got gave found saw ' +
  'came told knew held brought bought taught fell grew drew spoke drove met sent spent lost set put began ' +
  'said thought felt rose broke stood understood';
const NOT_PAST = 'need|speed|indeed|hundred|feed|seed|exceed|proceed|embed|bed|red|shed|sped|wed';

/** Something was done before; "is paid" and "are included" tell how it is. */
export const PAST = new RegExp(
  String.raw` (?:(?:must|may|might|could) have|(?:${IRREGULAR.replaceAll(' ', '|')})(?:n't)?|(?<! (?:is|are|be|being|get|gets) (?:\S+ly )?)(?!(?:${NOT_PAST}) )\p{L}{2,}ed)(?= )` +
    String.raw`| (?<! (?:в|во|на|за|от|до|с|со|из|по|к|о|об|для|без|при|про|над|под|через|между) )(?!(?:если|или|недели|цели|роли|модели|доли|начало|число|дел[оа]|около|мало|правило|школа|шкала|зал|стол|пол) )(?!\p{L}*[аи]тел(?:и|я|ь|ей|ю|ем|ями)? )(?!\p{L}*(?:портал|материал|квартал|персонал|капитал|потенциал|функционал|сигнал|журнал|канал|филиал|терминал|спортзал|отдел|раздел|предел|протокол|футбол|угол|идеал)(?:ы|а|о|и)? )` +
    String.raw`\p{L}*[аеиоуыя]л(?:а|о|и)?(?:сь|ся)?(?! бы )(?= )| \p{L}*(?:ш(?:ел|ла|ло|ли)(?:ся|сь)?|мог(?:ла|ло|ли)?|[рнвп][ое][сз]л[аои])(?= )`,
  'u',
);

/** Said of now, with a verb that shows it. */
export const PRESENT = words`
  is | are | isn't | aren't | has | have | does | do | can | will | may | must | would | gets? | pays? | needs?
  works | takes? | starts? | comes? | includes? | covers? | offers? | (?:it|that|there|he|she)'s | won't
  (?<=^ (?:and |but |because |since )?)(?:people|most|everyone|everybody|nobody|they)(?! of (?:them|it))
  currently | at the moment | сейчас
  (?<=^ )у (?!(?:вас|меня|кого|которого) )\p{L}+ | \p{L}{3,}(?:щен|жден|жен|лен|чен|ован)[аоы]
  (?:they|we|you)'re | i'm | requires? | lasts? | runs? | depends? | stays? | fits? | serves? | uses? | speaks?
  wants? | likes? | means? | есть | нет | можно | нужно | нужен | возможн~ | будет | будут
  (?!\p{L}*(?:десят|(?:от|со|прив|зав|об)вет|отчет|бюджет|кредит|результат|депозит|визит|формат|чат|штат|расчет|пакет|билет|приоритет|сайт|минут|таймаут|маршрут|институт|лимит|аудит|интернет|кабинет|секрет|сертификат|дубликат|автомат|университет|комитет|сюжет|совет|свет|цвет) )\p{L}{2,}(?:ет|ит|ют|ут|ят|ат)(?:ся)?`;

/** "You said …": what follows is what counts. */
export const REPORTED = words`
  you (?:have )?(?:said|mentioned|asked|wrote|told|know) | вы (?:сказали|упомянули|спросили|знаете)`;

const EN_ASKING =
  'tell|describe|pick|name|choose|give|take(?! (?:your|all the) time)|explain|share|walk|say|write|think of|imagine|suppose';
const RU_ASKING =
  'допустим|предположим|расскажите|назовите|опишите|вспомните|выберите|возьмите|уточните|напишите|поделитесь|приведите|представьте|объясните|поясните';

/** A clause that tells the candidate what to say. */
export const REQUEST = new RegExp(
  `^ (?:(?:so|then|and|now|please|just|а|и|тогда|теперь|пожалуйста) )*(?:${EN_ASKING}|${RU_ASKING}|i'd like to (?:hear|know)|i would like to (?:hear|know)|хотелось бы (?:услышать|узнать))(?= )`,
  'u',
);

/** A clause that asks, with or without its mark. */
export const INTERROGATIVE = new RegExp(
  '^ (?:(?:so|and|then|but|or|а|и|но|тогда) )*(?:what|which|who|how|when|where|why|did|do|does|are|is|was|were|can|could|would|will|have|has|had|что|чем|чему|как|какой|какая|какое|какие|каким|какую|сколько|насколько|кто|где|когда|почему|зачем|с чего|по каким|от чего|на что|можете|можно)(?= )',
  'u',
);

/** An amount that a candidate asks for. */
export const HOW_MUCH = words`
  how (?:many|much|long|often|soon) | when | what time | сколько | когда | как часто | как долго`;

const YES =
  "yes|yeah|yep|sure|certainly|exactly|correct|right|indeed|absolutely|definitely|of course|of course you can|of course it is|that's right|that is right|that's correct|that is correct|it is|it does|you can|no problem|no problem at all|no|not at all|it is so|you do|you will|they do|it will|we do|there is|there are|everybody does|everyone does|they are|it does" +
  '|да|нет|не будет|не дают|не надо|не нужно|конечно|верно|точно|именно|именно так|так и есть|правильно|все верно|все так|безусловно|разумеется|есть|можно|без проблем|совершенно верно|угу|ага|дают|будет|всем дают|правда|годится';

/** Nothing but yes or no. */
export const CONFIRMATION = new RegExp(`^ (?:(?:${YES}) )+$`, 'u');

/** A question about what is asked, or one that asks nothing: no question to the company. */
export const ABOUT_WORDS = words`
  answer | tell | talk | describe | mean | meant | count | rephrase | repeat | explain | understand | know what | want
  expect | see | в виду | рассказ\S+ | назы\S+ | назвать | отвеч\S+
  в смысле | перефраз\S+ | повтор\S+ | объясн\S+ | понима\S+ | понят\S+ | нужен | хотите | значит | подойдет
  подходит | считается | подробно | писать`;

/** A candidate addresses the company, or asks what they may do there; not how they may answer. */
export const ADDRESSED = words`
  (?:can|may|could|will|would|do|must) i (?!(?:just |also )?(?:talk|answer|mention|skip|write|describe|name|explain|use (?:an?|my|one)|take|tell|give|speak|choose|pick|ask|add|send|come))\S+
  my (?:boss|manager|salary|contract|team|desk|office|lead)
  мо(?:им|й|ей|я|его|ему) (?:руковод|начальн|зарплат|команд|рабоч)~
  можно (?:ли )?(?:мне )?(?!(?:пере|повтор|поясн|ответ|рассказ|пропуст|наз|взять|прив|по-|напис|пример|подробн|про|о ))\S+
  you | your | you're | вы | вас | вам | ваш~ | \p{L}{3,}(?:аете|яете|уете|ите) | the (?:job|role|team)`;

export const FIRST_PERSON = words`
  i(?! (?:suppose|guess|think|assume|heard|read|believe|understand)) | i'(?:m|ve|d|ll) | my | me | we | our | us
  я | мне | меня | мой | моя | мои | мы | нас`;

/** A sentence that leads to the next question. */
export const ANNOUNCES = words`
  next(?! to) | let's talk | let us talk | moving on | turn to | continue with | now (?:to|for|let's|let us|about)
  теперь (?:о|об|про|к) | далее | следующ~ | перейдем | поговорим`;

/** What is counted in a talk, as in "two sentences". */
export const COUNTED_IN_TALK =
  /^[\s-]*(?:(?:–|to|or|до|или)?[\s-]*(?:\p{L}+х|\p{L}+и|\d+|three|four|five|six|три|ten)\s+)?(?:short |concrete |more |main |most |разны\S* |главны\S* )?(?:sentences?|examples?|points?|steps?|parts?|reasons?|words?|figures?|numbers?|cases?|things?|предложени|фраз|строк|пример|шаг|част|слов|случа|причин|показател)/iu;

/** What a number of a job counts: money, time, people. */
export const JOB_UNIT =
  /^[\s-]*(?:[€$£₽]|(?:calendar |working |business |full |paid |more |new )?(?:euros?|dollars?|usd|eur|gbp|pounds?|rubles?|days?|weeks?|months?|years?|hours?|people|engineers?|developers?|employees|colleagues|of (?:them|us))\b|(?:a|an|per) (?:day|week|month|year|hour)\b|(?:рабочих |календарных |новых )?(?:евро|доллар|руб|дн(?:я|ей)|день|недел|месяц|год|лет|час|человек|люд|сотрудник|инженер|разработчик)|в (?:день|неделю|месяц|год|час))/iu;
export const CURRENCY_BEFORE = /[€$£₽]\s*$/u;
