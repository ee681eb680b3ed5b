"""Turns Traditional Chinese into data for the generator; source layer."""

from __future__ import annotations

import re

from k3mock.generator.language import Language
from k3mock.generator.languages.traditional_phrases import EXACT, HAIKU, PHRASES
from k3mock.generator.phrases import vocabulary

_NUMBERS = {
    "一": 1, "兩": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "幾": 3, "二十": 20, "五十": 50, "一百": 100,
}  # fmt: skip

_COUNT = r"(?P<count>\d{1,6}|二十|五十|一百|[一兩二三四五六七八九十幾])"

_BREAKS = re.compile(
    r"請問|推薦|請你|請用|請|幫我|幫忙|給我|告訴我|我想要|我想|我要|我們|你們|他們|我|你|您|他|她|它|"
    r"什麼樣|什麼|怎麼樣|怎麼|怎樣|如何|為什麼|哪些|哪裡|哪個|哪|多少|幾個|是否|有沒有|能否|能不能|"
    r"可以|可不可以|一下|一個|一些|一段|一篇|一份|一首|一句|這個|那個|這些|那些|這|那|關於|介紹|"
    r"解釋|說明|描述|寫出|寫|列出|列舉|總結|回答|回覆|查詢|查一查|查|看看|今天|明天|昨天|現在|"
    r"的時候|因為|所以|但是|如果|而且|以及|或者|還是|就是|不是|沒有|需要|應該|使用|透過|進行|"
    r"的|了|是|在|嗎|呢|吧|啊|和|與|跟|及|或|把|被|對|從|到|向|給|讓|用|有|會|能|要|想|做|很|都|也|就|"
    r"還|又|再|不|最|更|為|以|於|之|其|中|裡|上|下|來|去|個|條|點|句|字|只|僅|每|各"
)

_STOP = vocabulary(
    "the and for with you are what how please json a an of to in is 謝謝 你好 您好 問題 內容 時候 "
    "東西 事情 方面 簡單 簡短 詳細 詳情 要點 例子 詞語 單詞 句話 段話 中文 英文 部分"
)

_PLACES = (
    "台北", "臺北", "高雄", "台中", "臺中", "台南", "臺南", "新竹", "花蓮", "基隆",
    "北京", "上海", "廣州", "深圳", "杭州", "成都", "重慶", "武漢", "南京", "西安", "蘇州", "天津",
    "長沙", "青島", "廈門", "大連", "昆明", "哈爾濱", "瀋陽", "鄭州", "濟南", "合肥", "福州",
    "寧波", "無錫", "東莞", "佛山", "貴陽", "南寧", "海口", "三亞", "拉薩", "蘭州", "太原", "長春",
    "南昌", "石家莊", "烏魯木齊", "香港", "澳門", "桂林",
)  # fmt: skip

_ASKS = {
    "literal": (
        re.compile(
            r"(?:回覆|回答|說|輸出|重複|返回)(?:[一兩]個[詞字]|這[個句][詞話]|一句話|以下內容)?"
            r"(?:就行|即可)?[:：]?\s*[“\"「‘'](?P<literal>[^”\"」’'\n]{1,200})[”\"」’']"
        ),
        re.compile(
            r"(?:回覆|回答|說|輸出|重複|返回)[^。\n:：]{0,10}[:：]\s*(?P<literal>[^\n]{1,100}?)[。！]?\s*$"
        ),
        re.compile(
            r"(?:只|僅|直接)(?:需|要|用|能)*(?:回覆|回答|說|輸出)\s*(?![一兩三]|用|一)(?P<literal>[^，。！？\n]{1,12})[。！]?\s*$"
        ),
        re.compile(
            r"^\s*請?你?(?:跟我)?說(?!明|說|一|出|到|起|法|什麼|服)\s*(?P<literal>[^，。！？\n]{1,12})[。！]?\s*$"
        ),
    ),
    "greeting": (
        re.compile(
            r"^\s*(?:你好|您好|嗨|哈嘍|早上好|下午好|晚上好|大家好|在嗎)[呀啊嗎]?\s*[。！!？?~，,]*\s*$"
        ),
    ),
    "json": (
        re.compile(
            r"(?:用|以|按|返回|輸出|只要|個)\s*JSON|JSON\s*(?:格式|物件|資料)", re.IGNORECASE
        ),
    ),
    "code": (
        re.compile(
            r"(?:寫|實現|編寫|生成|給|用|提供)[^。\n]{0,30}?(?:函式|函數|程式碼|指令碼|程式|類|演算法|正則|查詢語句)"
        ),
    ),
    "list": (
        re.compile(
            rf"{_COUNT}\s*(?:條|個|點|項|種|款|步|座|家|位|本|部)(?!字|詞|句|段)[^，。\n]{{0,8}}?"
            r"(?P<noun>要點|建議|理由|原因|例子|步驟|方法|技巧|優點|缺點|特點|城市|名字|公司|問題|想法|方案|"
            r"事實|提示|國家|習慣|好處|區別|注意事項|標題|水果|動物|顏色|關鍵詞|景點|電影|書|人名)"
        ),
        re.compile(r"(?P<noun>列出|列舉|要點|清單|列表|分點)"),
    ),
    "words": (
        re.compile(
            rf"(?:用|以|在|恰好|正好|只|限|約|寫|(?P<under>不超過|最多|少於))?\s*{_COUNT}\s*個?[字詞](?!母|典|段|符)"
        ),
    ),
    "table": (re.compile(r"表格|列表格|做[一個張]*表"),),
    "numbered": (re.compile(r"編號|步驟|分步|一步一步"),),
    "haiku": (re.compile(r"俳句"),),
    "poem": (re.compile(r"(?:首|寫|作)[^。\n]{0,8}詩"),),
    "story": (re.compile(r"(?:講|寫|編)[^。\n]{0,10}(?:故事|童話)"),),
    "joke": (re.compile(r"笑話|段子"),),
    "mail": (re.compile(r"(?:寫|起草|擬)[^。\n]{0,10}(?:郵件|信件|[一這]封信)"),),
    "compare": (re.compile(r"比較|對比|區別|差別|不同之處"),),
    "why": (re.compile(r"為什麼|為何|原因"),),
    "how": (re.compile(r"怎麼|如何|怎樣|辦法"),),
    "sentences": (re.compile(rf"{_COUNT}\s*(?:句話|句|個句子)"),),
    "paragraphs": (re.compile(rf"{_COUNT}\s*(?:段話|段|個段落)"),),
    "keys": (
        re.compile(
            r"(?:鍵名?|欄位|屬性|[kK]eys?)(?:名|為|是|有|包括|包含|分別)*[:：]?\s*"
            r"((?:[“\"「`']?[A-Za-z_][A-Za-z0-9_-]{0,40}[”\"」`']?(?:\s*[（(][^)）\n]{0,30}[)）])?"
            r"(?:\s*[,，、和與/]\s*|\s*以及\s*|\s+and\s+|(?![A-Za-z0-9_]))){1,12})"
        ),
        re.compile(
            r"(?:包含|含有|包括|帶有|有)\s*((?:[“\"「`']?[A-Za-z_][A-Za-z0-9_-]{0,40}[”\"」`']?"
            r"(?:\s*[,，、和與/]\s*|\s*以及\s*|(?![A-Za-z0-9_]))){1,12})\s*(?:這?[一兩三四五六\d]?個?)"
            r"(?:鍵|欄位|屬性|的?\s?(?:物件|JSON))"
        ),
    ),
}

_CAPITALS = {
    "法國": "巴黎", "德國": "柏林", "義大利": "羅馬", "西班牙": "馬德里", "日本": "東京",
    "中國": "北京", "土耳其": "安卡拉", "加拿大": "渥太華", "澳大利亞": "堪培拉",
    "巴西": "巴西利亞",
    "印度": "新德里", "埃及": "開羅", "俄羅斯": "莫斯科", "英國": "倫敦", "美國": "華盛頓",
    "韓國": "首爾", "泰國": "曼谷", "越南": "河內", "墨西哥": "墨西哥城", "瑞士": "伯爾尼",
}  # fmt: skip

TRADITIONAL = Language(
    code="zh-Hant",
    locale="zh_TW",
    script=re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"),
    weight=0.8,
    marks=frozenset(
        "這為個們來時說對會過還沒發經現點樣頭從問見關讓開給應該長間實將兩體話認動覺馬書裡電車語學習東國寫請嗎"
        "麼謝誰邊遠進運選難題風飛飯館魚鳥門後氣漢義樂買賣單雙變聽員號圖園場塊處備復夠"
    ),
    word=re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,80}|[A-Za-z][\w-]{1,60}"),
    gap="",
    comma="、",
    last="和",
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
            "fact": "{of}的首都是{it}。",
            "sum": "{of} = {it}。",
            "form_json": "一個 JSON 物件",
            "form_code": "程式碼",
            "form_list": "一個列表",
            "form_words": "指定字數的回答",
            "form_literal": "一段固定的文字",
            "form_sentences": "指定句數的回答",
            "form_paragraphs": "幾個段落",
            "form_sum": "計算的結果",
            "form_table": "一個表格",
            "form_haiku": "一首俳句",
            "form_poem": "一首詩",
            "form_story": "一個小故事",
            "form_joke": "一個笑話",
            "form_mail": "一封郵件",
            "image": "一張圖片", "images": "{n} 張圖片",
            "video": "一段影片", "videos": "{n} 段影片",
            "sized": "{what}（{sizes}）", "pixels": "{size} 像素", "the": "工具",
            "is": "{key} 是 {value}",
            "one": "是", "no_values": "不需要參數",
            "topic": "耐心",
            "aspect": "方面", "country": "國家", "capital_of": "首都", "note": "評價",
        },
    },
    aspects=(
        ("投入", ("較少", "適中", "較多")),
        ("成本", ("低", "合理", "高")),
        ("上手難度", ("容易", "一般", "較難")),
        ("靈活性", ("有限", "不錯", "很好")),
        ("維護", ("簡單", "需要定期進行", "費時")),
        ("適合", ("入門", "日常使用", "大型計畫")),
        ("風險", ("小", "可控", "較明顯")),
    ),
    place=re.compile(r"(?:在|去|到|從)([\u4e00-\u9fff]{2,4}?)(?:市|省|縣|區|的|玩|旅遊|出發|天氣|，|。|$)"),
    breaks=_BREAKS,
    places=_PLACES,
    items={
        "水果": "fruit", "動物": "animal", "顏色": "colour",
        "名字": "person", "人名": "person", "城市": "city",
           "公司": "company", "國家": "country"},
    things={
        "fruit": (
            "蘋果", "香蕉", "柳橙", "葡萄", "桃子", "梨子", "芒果", "草莓", "西瓜", "櫻桃",
        ),
        "animal": (
            "狐狸", "熊貓", "海豚", "貓頭鷹", "馬", "兔子", "烏龜", "老虎", "大象", "鹿",
        ),
        "colour": (
            "藍色", "綠色", "紅色", "黃色", "橙色", "紫色", "棕色", "灰色", "粉色", "白色",
        ),
    },
    glosses={
        "天氣": "weather", "氣溫": "weather", "下雨": "weather", "溫度": "weather",
        "搜尋": "search",
        "查詢": "search", "搜": "search", "計算": "calculate", "等於": "calculate", "郵件": "email",
        "時間": "time", "幾點": "time", "股票": "stock", "股價": "stock", "翻譯": "translate",
        "檔案": "file", "文件": "file", "讀": "read", "日程": "event", "會議": "event",
        "訂單": "order", "航班": "flight",
        "機票": "flight", "酒店": "hotel", "新聞": "news", "地圖": "map", "匯率": "exchange",
        "提醒": "reminder", "傳送": "send", "讀取": "read", "建立": "create", "刪除": "delete",
        "資料庫": "database", "圖片": "image", "音樂": "music", "餐廳": "restaurant",
        "價格": "price",
    },
)  # fmt: skip
