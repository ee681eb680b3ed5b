"""Turns Japanese into data for the generator; source layer."""

from __future__ import annotations

import re

from k3mock.generator.language import Language
from k3mock.generator.languages.japanese_phrases import EXACT, HAIKU, PHRASES
from k3mock.generator.phrases import vocabulary

_NUMBERS = {
    "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
    "二十": 20, "ひと": 1, "ふた": 2, "みっ": 3, "一つ": 1, "二つ": 2, "三つ": 3, "四つ": 4,
    "五つ": 5,
}  # fmt: skip

_COUNT = r"(?P<count>\d{1,6}|二十|[一二三四五六七八九十])"

_BREAKS = re.compile(r"について|に関する|という|または|および")

_STOP = vocabulary(
    "おすすめ the and for with you are what how please json an of to in is 文 語 字 点 個 行 件 "
    "例 理由 "
    "方法 "
    "質問 答え 回答 日本語 英語 箇条書 一言 文字 単語 段落 関数 コード プログラム 表 表形式 形式 "
    "俳句 詩 冗談 物語 "
    "メール キー リスト 一覧 番号付 手順 違 比較 三 二 五 四 一 三つ 二つ 五つ 次 中 python "
    "こんにちは"
)

_CAPITALS = {
    "フランス": "パリ", "ドイツ": "ベルリン", "イタリア": "ローマ", "スペイン": "マドリード",
    "日本": "東京", "中国": "北京", "トルコ": "アンカラ", "カナダ": "オタワ", "韓国": "ソウル",
    "イギリス": "ロンドン", "アメリカ": "ワシントン", "タイ": "バンコク", "インド": "ニューデリー",
    "ロシア": "モスクワ", "エジプト": "カイロ", "オーストラリア": "キャンベラ",
}  # fmt: skip

_KEY = r"[「\"'`]?[A-Za-z_][A-Za-z0-9_-]{0,40}[」\"'`]?"

_ASKS = {
    "literal": (
        re.compile(
            r"「(?P<literal>[^」\n]{1,200})」と(?:だけ)?(?:答え|返信|返事|言っ|書い|出力|返し)"
        ),
        re.compile(
            r"(?:答え|返信|返事|出力)[^。\n:：]{0,12}[:：]\s*(?P<literal>[^\n]{1,100}?)[。！!]?\s*$"
        ),
    ),
    "greeting": (
        re.compile(
            r"^\s*(?:こんにちは|こんばんは|おはよう(?:ございます)?|やあ|もしもし|はじめまして)\s*[。！!？?、,]*\s*$"
        ),
    ),
    "json": (re.compile(r"json\s*(?:形式|で|オブジェクト|として)", re.IGNORECASE),),
    "haiku": (re.compile(r"俳句|川柳"),),
    "poem": (re.compile(r"詩を|詩で|詩\s*$|ポエム"),),
    "story": (re.compile(r"物語|短編|お話を|小説|童話"),),
    "joke": (re.compile(r"冗談|ジョーク|なぞなぞ"),),
    "mail": (re.compile(r"メール(?:を|の文)[^。\n]{0,8}(?:書|作)"),),
    "code": (
        re.compile(
            r"(?:関数|コード|スクリプト|プログラム|クラス|クエリ|アルゴリズム|正規表現)(?:を|で)?[^。\n]{0,10}(?:書|作|実装|生成|見せ|くだ)"
        ),
        re.compile(
            r"(?:python|javascript|typescript|rust|java|go|bash|sql|html|yaml)\s*で", re.IGNORECASE
        ),
    ),
    "table": (re.compile(r"表で|表に|表形式|表を|一覧表|テーブル"),),
    "list": (
        re.compile(
            rf"{_COUNT}\s*(?:つ|個|点|件|項目|箇条|か所|人|社)(?!の?(?:文|段落|単語|キー))(?:の)?(?P<noun>理由|方法|コツ|ヒント|例|提案|"
            r"アイデア|手順|ポイント|果物|動物|色|都市|国|名前|会社|本|映画|長所|短所|メリット|特徴|箇条書き|アドバイス|質問)?"
        ),
        re.compile(
            rf"(?P<noun>理由|方法|コツ|ヒント|例|提案|アイデア|手順|ポイント|都市|国|名前|会社)を{_COUNT}"
        ),
        re.compile(r"(?P<noun>箇条書き|リスト|一覧)"),
    ),
    "numbered": (re.compile(r"番号付き|番号をつけ|手順|順番に|ステップ"),),
    "paragraphs": (re.compile(rf"{_COUNT}\s*(?:つの)?段落"),),
    "sentences": (re.compile(rf"{_COUNT}\s*(?:つの)?文(?!字|章)"),),
    "words": (
        re.compile(rf"{_COUNT}\s*文字?(?P<under>以内|以下)"),
        re.compile(rf"{_COUNT}\s*(?:文字|字)"),
        re.compile(r"(?P<count>一)(?:言|語)で"),
    ),
    "keys": (
        re.compile(
            r"(?:キー|フィールド|項目|プロパティ)(?:名|は|が|として)*[:：]?\s*"
            rf"((?:{_KEY}(?:\s*[,、とや&/]\s*|(?![A-Za-z0-9_]))){{1,12}})"
        ),
        re.compile(
            rf"((?:{_KEY}(?:\s*[,、とや&/]\s*|(?![A-Za-z0-9_]))){{1,12}})\s*(?:の|という|を)?\s*(?:[一二三四五六\d]?つの)?"
            r"(?:キー|フィールド|プロパティ)"
        ),
    ),
    "compare": (re.compile(r"比較|違い|比べ"),),
    "why": (re.compile(r"なぜ|どうして|何故"),),
    "how": (re.compile(r"方法|どうやって|どうすれば|やり方|手順"),),
}

JAPANESE = Language(
    code="ja",
    locale="ja_JP",
    script=re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"),
    weight=0.8,
    marks=frozenset(map(chr, range(0x3041, 0x30FB))),
    mark_weight=4.0,
    word=re.compile(
        r"お[\u4e00-\u9fff]{1,4}|[\u4e00-\u9fff々]{2,12}|[\u30a1-\u30fa\u30fc]{2,20}|[A-Za-z][\w-]{1,60}"
    ),
    gap="",
    comma="、",
    last="、",
    ends="。！？.!?",
    stop=_STOP,
    phrases=PHRASES,
    exact=EXACT,
    haiku=HAIKU,
    asks=_ASKS,
    numbers=_NUMBERS,
    facts={
        "capital": _CAPITALS,
        "word": {
            "fact": "{of}の首都は{it}です。",
            "sum": "{of} = {it} です。",
            "form_json": "JSON オブジェクト",
            "form_code": "コード",
            "form_list": "リスト",
            "form_table": "表",
            "form_words": "決められた文字数の答え",
            "form_literal": "指定された文そのもの",
            "form_sentences": "決められた数の文",
            "form_paragraphs": "いくつかの段落",
            "form_sum": "計算の結果",
            "form_haiku": "俳句",
            "form_poem": "詩",
            "form_story": "短い物語",
            "form_joke": "冗談",
            "form_mail": "メール",
            "image": "画像1枚", "images": "画像{n}枚", "video": "動画1本", "videos": "動画{n}本",
            "sized": "{what}（{sizes}）", "pixels": "{size} ピクセル",
            "the": "ツール", "is": "{key} は {value}",
            "one": "はい", "no_values": "引数は不要", "topic": "根気",
            "aspect": "項目", "country": "国", "capital_of": "首都", "note": "評価",
        },
    },
    aspects=(
        ("手間", ("少ない", "普通", "多い")),
        ("費用", ("安い", "手ごろ", "高い")),
        ("習得", ("早い", "ゆるやか", "時間がかかる")),
        ("柔軟性", ("限られる", "高い", "とても高い")),
        ("保守", ("簡単", "定期的", "大変")),
        ("向いている用途", ("入門", "日常", "大きな計画")),
        ("リスク", ("小さい", "管理できる", "やや大きい")),
    ),
    place=re.compile(r"([\u30a1-\u30fa\u30fc]{2,12}|[\u4e00-\u9fff]{2,3})(?:市|都|府|県)?(?:の天気|の時間|行き|へ|まで|から|で)"),
    breaks=_BREAKS,
    places=(
        "東京", "大阪", "京都", "札幌", "福岡", "名古屋", "横浜", "神戸", "広島", "仙台", "長崎",
        "金沢",
        "那覇", "奈良", "新潟", "熊本", "パリ", "ロンドン", "ローマ", "ベルリン", "ソウル", "北京",
        "上海",
        "シンガポール", "イズミル", "ニューヨーク",
    ),
    items={
        "果物": "fruit", "動物": "animal", "色": "colour",
        "名前": "person", "都市": "city", "国": "country", "会社": "company"},
    things={
        "fruit": (
            "りんご", "バナナ", "みかん", "ぶどう", "桃", "梨", "マンゴー", "いちご", "すいか",
            "さくらんぼ",
        ),
        "animal": (
            "きつね", "パンダ", "いるか", "ふくろう", "馬", "うさぎ", "亀", "虎", "象", "鹿",
        ),
        "colour": (
            "青", "緑", "赤", "黄色", "オレンジ", "紫", "茶色", "灰色", "ピンク", "白",
        ),
    },
    glosses={
        "天気": "weather", "気温": "weather", "雨": "weather", "検索": "search", "探して": "search",
        "調べて": "search", "計算": "calculate", "メール": "email", "時刻": "time", "何時": "time",
        "株価": "stock", "翻訳": "translate", "ファイル": "file", "読んで": "read", "予定": "event",
        "会議": "event", "フライト": "flight", "ホテル": "hotel", "ニュース": "news", "地図": "map",
        "送って": "send", "作成": "create", "削除": "delete", "注文": "order", "価格": "price",
        "一覧": "list", "書き込": "write", "開いて": "open",
    },
)  # fmt: skip
