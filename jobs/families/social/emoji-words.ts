// The words by which VADER's reference implementation (vaderSentiment 3.3.2, MIT) replaces an emoji. The words are listed only for emoji
// whose words affect its rules; for the others the number of words suffices, because rules depend on the distance between words.

/** `emoji words`, one per line. */
const FELT = `
  😀 grinning face
  😁 beaming face with smiling eyes
  😂 face with tears of joy
  🤣 rolling on the floor laughing
  😃 grinning face with big eyes
  😄 grinning face with smiling eyes
  😅 grinning face with sweat
  😆 grinning squinting face
  😊 smiling face with smiling eyes
  😎 smiling face with sunglasses
  😍 smiling face with heart-eyes
  😘 face blowing a kiss
  🥰 smiling face with 3 hearts
  😗 kissing face
  😙 kissing face with smiling eyes
  😚 kissing face with closed eyes
  ☺ smiling face
  🙂 slightly smiling face
  🤗 hugging face
  😶 face without mouth
  😥 sad but relieved face
  😫 tired face
  😌 relieved face
  😓 downcast face with sweat
  😔 pensive face
  😕 confused face
  😲 astonished face
  ☹ frowning face
  🙁 slightly frowning face
  😞 disappointed face
  😟 worried face
  😢 crying face
  😭 loudly crying face
  😦 frowning face with open mouth
  😧 anguished face
  😨 fearful face
  😩 weary face
  😬 grimacing face
  😰 anxious face with sweat
  😱 face screaming in fear
  😵 dizzy face
  😠 angry face
  😇 smiling face with halo
  🥳 partying face
  🤥 lying face
  🤭 face with hand over mouth
  🤓 nerd face
  😈 smiling face with horns
  👿 angry face with horns
  👻 ghost
  💩 pile of poo
  😺 grinning cat face
  😸 grinning cat face with smiling eyes
  😹 cat face with tears of joy
  😻 smiling cat face with heart-eyes
  😼 cat face with wry smile
  😽 kissing cat face
  🙀 weary cat face
  😿 crying cat face
  🙍 person frowning
  🙅 person gesturing NO
  🙆 person gesturing OK
  💁 person tipping hand
  🙋 person raising hand
  🤽 person playing water polo
  🤾 person playing handball
  💏 kiss
  💑 couple with heart
  👉 backhand index pointing right
  ✌ victory hand
  🤘 sign of the horns
  🤙 call me hand
  🖐 hand with fingers splayed
  ✋ raised hand
  👌 OK hand
  🤚 raised back of hand
  👋 waving hand
  ✍ writing hand
  💋 kiss mark
  💘 heart with arrow
  ❤ red heart
  💓 beating heart
  💔 broken heart
  💕 two hearts
  💖 sparkling heart
  💗 growing heart
  💙 blue heart
  💚 green heart
  💛 yellow heart
  🧡 orange heart
  💜 purple heart
  🖤 black heart
  💝 heart with ribbon
  💞 revolving hearts
  💟 heart decoration
  ❣ heavy heart exclamation
  💌 love letter
  💤 zzz
  💢 anger symbol
  💣 bomb
  💥 collision
  💫 dizzy
  🗯 right anger bubble
  🎩 top hat
  ⛑ rescue worker’s helmet
  🌾 sheaf of rice
  🍂 fallen leaf
  🌽 ear of corn
  🥩 cut of meat
  🥘 shallow pan of food
  🍲 pot of food
  🍠 roasted sweet potato
  🥟 dumpling
  🥛 glass of milk
  🍵 teacup without handle
  🗾 map of Japan
  🏩 love hotel
  🗽 Statue of Liberty
  🌆 cityscape at dusk
  🌉 bridge at night
  🚌 bus
  🚍 oncoming bus
  🚒 fire engine
  🚏 bus stop
  🛑 stop sign
  ⏳ hourglass not done
  ⏰ alarm clock
  ⛄ snowman without snow
  🔥 fire
  ✨ sparkles
  🎉 party popper
  🎁 wrapped gift
  🎖 military medal
  🏅 sports medal
  🥇 1st place medal
  🥈 2nd place medal
  🥉 3rd place medal
  🕹 joystick
  🎲 game die
  ♥ heart suit
  ♦ diamond suit
  🃏 joker
  🎴 flower playing cards
  🔈 speaker low volume
  🔕 bell with slash
  🔎 magnifying glass tilted right
  💳 credit card
  📪 closed mailbox with lowered flag
  📭 open mailbox with lowered flag
  📏 straight ruler
  🧷 safety pin
  🧻 roll of paper
  🧯 fire extinguisher
  ⚱ funeral urn
  🏧 ATM sign
  ⚠ warning
  ⛔ no entry
  🚳 no bicycles
  🚭 no smoking
  🚯 no littering
  🚷 no pedestrians
  📵 no mobile phones
  🔞 no one under eighteen
  ➡ right arrow
  ↩ right arrow curving left
  ↪ left arrow curving right
  ⤴ right arrow curving up
  ⤵ right arrow curving down
  🔙 BACK arrow
  🔚 END arrow
  🔛 ON! arrow
  🔜 SOON arrow
  🔝 TOP arrow
  🛐 place of worship
  ✡ star of David
  ☸ wheel of dharma
  ☮ peace symbol
  ♋ Cancer
  ▶ play button
  ⏯ play or pause button
  ⏹ stop button
  🔆 bright button
  🔰 Japanese symbol for beginner
  ❇ sparkle
  🔡 input latin lowercase
  🅰 A button (blood type)
  🆎 AB button (blood type)
  🅱 B button (blood type)
  🆑 CL button
  🆒 COOL button
  🆓 FREE button
  🆔 ID button
  Ⓜ circled M
  🆕 NEW button
  🆖 NG button
  🅾 O button (blood type)
  🆗 OK button
  🅿 P button
  🆘 SOS button
  🆙 UP! button
  🆚 VS button
  🈶 Japanese “not free of charge” button
  🈚 Japanese “free of charge” button
  🈺 Japanese “open for business” button
  🔶 large orange diamond
  🔷 large blue diamond
  🔸 small orange diamond
  🔹 small blue diamond
  💠 diamond with a dot
`;

/** Number of words -> emoji. */
const NEUTRAL: readonly (readonly [words: number, emoji: string])[] = [
  [
    1,
    '©®ℹ⌚⌨⏱☀☁☂☃☄☎☘☢☣♈♉♊♌♍♎♏♐♑♒♓♾⚓⚗⚙⚜⚰⚾⛎⛏⛓⛪⛰⛲⛴⛵⛷⛺✂✈✉✏❄⭐🌀🌁🌅🌇🌈🌋🌡🌪🌫🌮🌯🌰🌱🌵🌷🌹🌺🌻🌼🌿🍄🍅🍆🍇🍈🍉🍊🍋🍌🍍🍐🍑🍒🍓🍔🍕🍝🍞🍡🍢🍣🍩🍪🍬🍭🍮🍰🍳🍶🍿🎀🎃🎆🎇🎈🎤🎦🎧🎫🎳🎷🎸🎺🎻🎾🎿🏀🏂🏆🏍🏐🏕🏘🏙🏜🏟🏠🏥🏦🏨🏫🏭🏰🏵🏷🏸🏺🐀🐁🐂🐄🐅🐆🐇🐈🐉🐊🐋🐌🐍🐎🐏🐐🐑🐒🐓🐔🐕🐖🐗🐘🐙🐛🐜🐝🐟🐡🐢🐦🐧🐨🐩🐪🐬🐿👀👁👂👃👄👅👑👓👔👕👖👗👘👙👛👜👣👦👧👨👩👪👶👸👹👺👽💀💂💄💉💊💍💐💒💧💺💼📀📅📋📌📎📒📓📚📜📝📟📢📣📦📧📮📰📷📺📻📼🔋🔑🔒🔓🔔🔖🔗🔦🔧🔨🔫🔬🔭🕉🕊🕋🕌🕍🕎🕜🕝🕞🕟🕠🕡🕢🕣🕤🕥🕦🕧🕯🕳🕵🕶🕷🖊🖌🖍🖨🖲🗑🗜🗡🗿🚀🚁🚂🚆🚇🚉🚊🚎🚐🚑🚕🚗🚜🚝🚢🚤🚧🚪🚫🚬🚲🚻🚽🚿🛁🛃🛏🛡🛣🛰🛶🛷🛹🤝🤩🤱🤳🤴🥁🥄🥍🥎🥐🥑🥒🥓🥔🥕🥚🥜🥞🥢🥥🥦🥧🥨🥪🥭🥯🥽🦀🦂🦃🦅🦆🦇🦈🦉🦋🦌🦍🦎🦏🦐🦑🦒🦓🦔🦕🦖🦗🦘🦙🦚🦛🦜🦝🦞🦟🦠🦡🦢🦰🦱🦲🦳🦴🦵🦶🦷🦸🦹🧁🧂🧑🧒🧙🧚🧛🧜🧝🧞🧟🧠🧣🧤🧥🧦🧨🧩🧬🧭🧮🧰🧱🧲🧳🧵🧶🧹🧺🧼🧽🧾',
  ],
  [
    2,
    '™↔↕↖↗↘↙⌛⏏⏩⏲⏸⏺◀☕☦☯♀♂♟♠♣♨♻♿⚔⚕⚖⚛⚡⚪⚫⚽⛩⛸⛽✊✒✝✳✴❌❓❗➰⬅⬆⬇〰🌂🌊🌌🌑🌕🌙🌟🌠🌬🌭🌲🌳🌴🌶🌸🍁🍎🍏🍗🍘🍙🍚🍛🍜🍟🍤🍧🍨🍫🍯🍱🍷🍸🍹🍺🍼🎂🎄🎅🎊🎋🎌🎍🎎🎏🎐🎒🎓🎗🎙🎚🎛🎞🎟🎠🎡🎢🎣🎥🎨🎪🎬🎭🎮🎯🎰🎵🎶🎹🎼🎽🏁🏃🏄🏇🏈🏉🏊🏌🏎🏏🏑🏒🏓🏔🏗🏚🏛🏝🏞🏢🏤🏪🏬🏯🏳🏴🐃🐚🐞🐠🐣🐤🐫🐭🐮🐯🐰🐱🐲🐳🐴🐵🐶🐷🐸🐹🐺🐻🐼🐽🐾👊👍👎👏👐👒👚👝👞👟👠👡👢👮👱👴👵👷👼👾💃💅💈💎💡💦💨💪💬💭💮💯💰💱💴💵💶💷💻💽💾💿📁📆📇📈📉📊📍📐📑📕📖📗📘📙📛📞📠📡📤📥📨📯📱📳📶📹📽📿🔁🔅🔇🔌🔘🔟🔢🔣🔪🔮🔱🔴🔵🔼🔽🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛🕰🕸🕺🖇🖋🖕🖖🖥🖱🖼🗄🗒🗓🗝🗞🗣🗺🗻🗼😉😏😐😑😒😖😡😣😪😯😳😴🙃🙇🙈🙉🙊🙌🙎🙏🚃🚄🚅🚈🚋🚓🚖🚘🚚🚛🚞🚟🚠🚡🚩🚰🚱🚴🚶🚸🚹🚺🚼🚾🛂🛄🛅🛍🛎🛒🛢🛤🛥🛩🛫🛬🛳🛴🛵🛸🤐🤑🤔🤖🤛🤜🤞🤟🤡🤢🤤🤦🤧🤪🤫🤮🤯🤰🤶🤷🤸🤹🤺🤼🥀🥂🥃🥅🥊🥌🥏🥖🥗🥙🥝🥠🥡🥫🥬🥮🥴🥵🥶🥺🥼🥾🦁🦄🦊🧀🧓🧔🧗🧢🧧🧪🧫🧴🧸🧿',
  ],
  [
    3,
    '‼⁉⏪⏫⏬⏭⏮▪▫◻◼◽◾☝☠☪⚒⛅⛱⛳⛹✔✖❎❔❕➕➖➗➿⬛⬜⭕〽㊗㊙🀄🈁🈯🈲🈳🈸🈹🉐🉑🌃🌄🌍🌎🌏🌐🌒🌓🌔🌖🌗🌘🌚🌝🌞🌧🌨🌩🍀🍖🍦🍴🍻🎑🎱🏋🏖🏡🏣🏮🏹🏻🏼🏽🏾🏿🐥👤👥👰👳💆💇💲💸📂📃📄📩📴📸🔀🔂🔃🔄🔉🔊🔏🔐🔠🔤🔩🔯🔲🔳🗂🗃🗨😋😛😾🚔🚙🚣🚥🚦🚨🚵🛀🛋🛌🛠🤒🤕🤠🤲🤵🥋🥣🥤🥿🧐🧕',
  ],
  [4, '☑☔✅🈂🈴🈵🈷🌛🌜🌤🌥🌦🍃🍥🍾👆👇👈👬👭👯👲💹📔📲🔍🔺🔻🕴🗳😜😝😮😷🙄🚮🤨🧖🧘'],
  [5, '⛈🍽👫📫📬😤🤬'],
];

/** A word that occurs in no rule and no list. */
const PLACEHOLDER = 'emoji';

export const EMOJI_WORDS: ReadonlyMap<string, string> = new Map([
  ...FELT.trim()
    .split('\n')
    .map((line) => line.trim())
    .map((line): [string, string] => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  ...NEUTRAL.flatMap(([tokens, emoji]) =>
    [...emoji].map((one): [string, string] => [one, Array(tokens).fill(PLACEHOLDER).join(' ')]),
  ),
]);
